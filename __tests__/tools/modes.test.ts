import fc from 'fast-check';
import type { Action } from '../../lib/tools/action.ts';
import type { Decision } from '../../lib/tools/decision.ts';
import { planOnly, TOOL_MODES, type ToolMode } from '../../lib/tools/modes.ts';
import { createSessionGrants } from '../../lib/tools/policy/grants.ts';
import type { PolicySettings } from '../../lib/tools/policy/index.ts';
import { simplePolicy } from '../../lib/tools/simple-policy.ts';
import { file, policyOf, program, ROOT, shell } from './policy/policy-of.ts';

const remote: Action = { tool: 'github__merge', summary: 'merge', isReadOnly: true, accesses: [], isRemote: true };
const own: Action = { tool: 'deploy', summary: 'deploy', isReadOnly: false, accesses: [] };

interface Circumstances {
  readonly settings?: Partial<PolicySettings>;
  readonly granted?: readonly string[];
  readonly isConfined?: boolean;
}

async function inEachMode(action: Action, { settings, granted = [], isConfined = true }: Circumstances = {}) {
  const grants = createSessionGrants(() => 0);
  for (const rule of granted) grants.add(rule);
  const decided: Record<string, string> = {};
  for (const mode of TOOL_MODES) {
    const { policy } = await policyOf(settings, { mode: () => mode, grants, isConfined });
    const { kind, rule } = policy.decide(action);
    decided[mode] = `${kind} ${rule}`;
  }
  return decided;
}

describe('the mode of a session', () => {
  it.each<readonly [string, Action, Circumstances, Record<ToolMode, string>]>([
    [
      'lets reading be read in each',
      file('file_read', 'read', `${ROOT}/a.ts`),
      {},
      {
        ask: 'allow default:read-in-project',
        plan: 'allow default:read-in-project',
        edits: 'allow default:read-in-project',
        auto: 'allow default:read-in-project',
      },
    ],
    [
      'writes files of the project unasked in edits and auto',
      file('file_edit', 'write', `${ROOT}/a.ts`),
      {},
      { ask: 'ask default:write', plan: 'deny mode:plan', edits: 'allow mode:edits', auto: 'allow mode:auto' },
    ],
    [
      'asks in edits about files elsewhere that are opened for writing',
      file('file_write', 'write', '/srv/a.ts'),
      { settings: { writable: ['/srv'] } },
      { ask: 'ask default:write', plan: 'deny mode:plan', edits: 'ask default:write', auto: 'allow mode:auto' },
    ],
    [
      'runs programs unasked only in auto',
      shell('npm test'),
      {},
      { ask: 'ask default:command', plan: 'deny mode:plan', edits: 'ask default:command', auto: 'allow mode:auto' },
    ],
    [
      'runs nothing unasked without a sandbox',
      shell('npm test'),
      { isConfined: false },
      {
        ask: 'ask default:command',
        plan: 'deny mode:plan',
        edits: 'ask default:command',
        auto: 'ask default:command',
      },
    ],
    [
      'runs nothing unasked if the sandbox is off',
      shell('npm test'),
      { settings: { sandbox: 'off' } },
      {
        ask: 'ask default:command',
        plan: 'deny mode:plan',
        edits: 'ask default:command',
        auto: 'ask default:command',
      },
    ],
    [
      'asks about dangerous calls, also in auto',
      shell('rm -rf build'),
      {},
      {
        ask: 'ask default:dangerous',
        plan: 'deny mode:plan',
        edits: 'ask default:dangerous',
        auto: 'ask default:dangerous',
      },
    ],
    [
      'denies what a rule denies',
      shell('curl example.org'),
      { settings: { deny: ['bash(curl *)'] } },
      {
        ask: 'deny deny:bash(curl *)',
        plan: 'deny deny:bash(curl *)',
        edits: 'deny deny:bash(curl *)',
        auto: 'deny deny:bash(curl *)',
      },
    ],
    [
      'asks if a rule asks, also in auto',
      shell('npm run deploy'),
      { settings: { ask: ['bash(npm run deploy *)'] } },
      {
        ask: 'ask ask:bash(npm run deploy *)',
        plan: 'deny mode:plan',
        edits: 'ask ask:bash(npm run deploy *)',
        auto: 'ask ask:bash(npm run deploy *)',
      },
    ],
    [
      'denies keys in each',
      file('file_write', 'write', `${ROOT}/.env`),
      {},
      {
        ask: 'deny default:hidden',
        plan: 'deny default:hidden',
        edits: 'deny default:hidden',
        auto: 'deny default:hidden',
      },
    ],
    [
      'denies what decides what runs later in each',
      file('file_write', 'write', `${ROOT}/.git/hooks/pre-commit`),
      {},
      {
        ask: 'deny default:protected',
        plan: 'deny default:protected',
        edits: 'deny default:protected',
        auto: 'deny default:protected',
      },
    ],
    [
      'denies in plan what a rule allows',
      shell('npm test'),
      { settings: { allow: ['bash(npm test)'] } },
      {
        ask: 'allow allow:bash(npm test)',
        plan: 'deny mode:plan',
        edits: 'allow allow:bash(npm test)',
        auto: 'allow allow:bash(npm test)',
      },
    ],
    [
      'denies granted calls in plan',
      file('file_write', 'write', `${ROOT}/a.ts`),
      { granted: ['file_write(a.ts)'] },
      { ask: 'allow grant:1', plan: 'deny mode:plan', edits: 'allow grant:1', auto: 'allow grant:1' },
    ],
    [
      'reads by git in each',
      program('git', 'git', 'status'),
      {},
      {
        ask: 'allow default:git-reading',
        plan: 'allow default:git-reading',
        edits: 'allow default:git-reading',
        auto: 'allow default:git-reading',
      },
    ],
    [
      'asks about tools of other programs, which no sandbox holds',
      remote,
      {},
      { ask: 'ask default:remote', plan: 'deny mode:plan', edits: 'ask default:remote', auto: 'ask default:remote' },
    ],
    [
      'asks about tools of a program that embeds ollm',
      own,
      {},
      { ask: 'ask default:unknown', plan: 'deny mode:plan', edits: 'ask default:unknown', auto: 'ask default:unknown' },
    ],
    [
      'denies a line that cannot be judged',
      shell('$TOOL x'),
      {},
      {
        ask: 'deny default:unclear',
        plan: 'deny default:unclear',
        edits: 'deny default:unclear',
        auto: 'deny default:unclear',
      },
    ],
    [
      'writes nothing by the redirection of a reader in plan',
      shell('git status > out.txt'),
      {},
      {
        ask: 'ask default:write',
        plan: 'deny mode:plan',
        edits: 'ask default:write',
        auto: 'allow default:git-reading; mode:auto',
      },
    ],
  ])('%s', async (_title, action, circumstances, decided) => {
    const found = await inEachMode(action, circumstances);
    expect(found).toEqual(decided);
  });

  const lines = fc.constantFrom(
    'ls',
    'npm test',
    'rm -rf x',
    'curl x | sh',
    'git push --force',
    'cat .env',
    'echo x > a',
    'X=1 make',
    '$A',
  );
  const rules = fc.subarray(['bash(npm *)', 'bash', 'bash(rm *)', 'file_write', 'bash(curl *)']);

  it('never allows a line that the mode ask denies, nor a dangerous one', async () => {
    await fc.assert(
      fc.asyncProperty(lines, rules, rules, rules, async (line, allow, ask, deny) => {
        const decide = async (mode: ToolMode): Promise<Decision> =>
          (await policyOf({ allow, ask, deny }, { mode: () => mode })).policy.decide(shell(line));
        const usual = await decide('ask');
        for (const mode of ['edits', 'auto'] as const) {
          const decision = await decide(mode);
          if (usual.kind !== 'ask') expect(decision).toEqual(usual);
          else if (usual.dangerous !== undefined) expect(decision.kind).toBe('ask');
          expect(decision.kind === 'deny').toBe(usual.kind === 'deny');
        }
        const planned = await decide('plan');
        if (planned.kind === 'allow') expect(planned.readsOnly).toBe(true);
        if (usual.kind === 'deny') expect(planned).toEqual(usual);
      }),
      { numRuns: 200 },
    );
  });

  it('includes plan for a program with its own policy', () => {
    const policy = planOnly(simplePolicy());
    expect(policy.decide({ ...own, isReadOnly: true })).toMatchObject({ kind: 'allow' });
    policy.grant('deploy');
    expect(policy.decide(own)).toMatchObject({ kind: 'deny', rule: 'mode:plan' });
  });
});
