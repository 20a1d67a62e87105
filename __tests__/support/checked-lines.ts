// Lines of files in the sessions at hand, with the call that wrote each, decided by reading: the line, and the end of
// the call's id; `-` where no call of the sessions wrote it. Faults in the first project changed the rules of
// lib/blame/match-lines.ts; the others only tried them.

interface CheckedProject {
  /** Ends of the directories that the sessions call it. */
  readonly directory: RegExp;
  readonly isHeldOut: boolean;
  readonly lines: Readonly<Record<string, string>>;
}

export const CHECKED_PROJECTS: readonly CheckedProject[] = [
  {
    directory: /\/(entireio\/(20260205-)?cli|devenv\/cli|wks\/cli|workspace\/cli|improve-status-cmd-output)$/,
    isHeldOut: false,
    lines: {
      'cmd/entire/cli/e2e_test/agent_runner.go': '7:7f7twF 158:7f7twF',
      'cmd/entire/cli/strategy/manual_commit_attribution.go': '262:GKDKYj',
      'cmd/entire/cli/e2e_test/setup_test.go': '20:v1595A 58:v1595A',
      'cmd/entire/cli/e2e_test/scenario_agent_commit_test.go': '88:wPw7YD 103:wPw7YD',
      'cmd/entire/cli/e2e_test/testenv.go': '24:DCELMm 53:DCELMm 178:DCELMm 202:DCELMm 206:DCELMm',
      'cmd/entire/cli/e2e_test/scenario_basic_workflow_test.go': '82:X8Jqug',
      'cmd/entire/cli/e2e_test/scenario_rewind_test.go': '23:B25zKE 45:B25zKE',
      'cmd/entire/cli/help.go': '26:XiNH8V 34:XiNH8V',
      'mise.toml': '102:D7D4yp',
      'cmd/entire/cli/logging/context_test.go': '118:pqJPuL',
      'cmd/entire/cli/strategy/manual_commit_condensation.go': '136:nF7UAp 194:vk99qB',
      'cmd/entire/cli/telemetry/telemetry.go': '121:vKpCTJ',
      'cmd/entire/cli/strategy/manual_commit_test.go': '46:- 1086:- 1328:- 1714:L2y7vB 1754:L2y7vB 2124:nsoSE2',
      'cmd/entire/cli/strategy/manual_commit_rewind.go': '600:o61o3x',
      'cmd/entire/cli/e2e_test/assertions.go': '29:qVtur4',
      'cmd/entire/cli/strategy/manual_commit_git.go': '399:U8kJtY 400:U8kJtY',
      'cmd/entire/cli/strategy/manual_commit.go': '76:gLfoWq',
      'cmd/entire/cli/agent/claudecode/hooks.go': '222:-',
      'cmd/entire/cli/checkpoint/committed.go': '685:- 985:-',
      'cmd/entire/cli/checkpoint/temporary.go': '416:-',
      'cmd/entire/cli/strategy/push_common.go': '208:-',
      'cmd/entire/cli/resume.go': '441:-',
      'cmd/entire/cli/logging/logger_test.go': '497:-',
    },
  },
  {
    directory: /\/agents-md-evaluator$/,
    isHeldOut: true,
    lines: {
      'frontend/src/components/RemediateTab.tsx': '547:- 692:- 822:YgVAoK 829:YgVAoK 830:YgVAoK',
      'frontend/src/components/EmptyState.tsx': '58:vnKwv7',
    },
  },
  {
    directory: /\/example-project\/\.worktrees\/streaming$/,
    isHeldOut: true,
    lines: {
      'app/lib/streaming/handlers/ai-chat.ts': '200:GZ1w56 204:GZ1w56 212:4vA3ay 286:-',
      'app/lib/ai.server.ts': '69:YuaHpB',
      'app/routes/api.plan-stream.ts': '27:ZaTDuK 55:nNYJue',
      '.lefthook.yml': '1:-',
    },
  },
  {
    directory: /\/planetfall-seed-signalkit$/,
    isHeldOut: true,
    lines: {
      'src/titleScreen.js': '5:ZdSt8r 75:ZdSt8r',
      'tests/test_repro_flaky.py': '4:1C2P2v 18:1C2P2v',
      'README.md': '57:- 105:-',
    },
  },
  {
    directory: /\/cipher-box$/,
    isHeldOut: true,
    lines: {
      'apps/api/.env': '11:CRovik 28:CRovik',
      'apps/web/src/stores/auth.store.ts': '93:XuJd1h',
      'apps/api/src/auth/controllers/identity.controller.ts': '59:kpuwAJ',
      'apps/web/src/api/custom-instance.ts': '52:HztfMg',
      'tests/e2e/tests/sharing-workflow.spec.ts': '283:dngPQU',
      'apps/web/src/hooks/useAuth.ts': '95:-',
      'apps/web/src/components/file-browser/ShareDialog.tsx': '38:-',
    },
  },
  {
    directory: /\/irrlicht\/\.claude\/worktrees\/102$/,
    isHeldOut: true,
    lines: {
      'core/cmd/replay-session/main.go': '23:ovfiTZ 110:ovfiTZ',
      'scripts/find-flicker-sessions.sh': '47:hsTPgt 66:hsTPgt',
      '.gitignore': '94:- 100:-',
    },
  },
  {
    directory: /\/agent-workflows-monorepo-v2$/,
    isHeldOut: true,
    lines: {
      'apps/app/src/client/components/NavUser.test.tsx': '29:zBBiup 31:o9bmxr 40:o9bmxr',
      'apps/app/src/client/components/CommandMenu.tsx': '63:14TKQZ 123:- 155:-',
      'apps/app/src/client/components/NavUser.tsx': '29:fNs7xt 40:fNs7xt',
    },
  },
  {
    directory: /\/repo\/claude-code$/,
    isHeldOut: true,
    lines: {
      'Pydantic_Field_Usage_Guide.md': '59:AtZ865 173:AtZ865 265:AtZ865 295:AtZ865',
      'go.mod': '12:- 20:-',
    },
  },
];
