// What each runner of an agent keeps to, against the streams of the real programs as they were recorded: the scenes of
// one session, its resume, and a stream with other lines between, that floods, or that ends in the middle.
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesMarked } from '../../lib/platform/processes/process-tree.ts';
import { openAcpAgent } from '../../lib/runs/acp/acp-agent.ts';
import { type AgentProfile, profileOf, RUN_AGENTS } from '../../lib/runs/profiles.ts';
import type { AgentProcess } from '../../lib/runs/runner.ts';
import { pathOf } from './recorded/recording.ts';
import { ANSWERS, Asked, COMMAND, NOTES, type Performed, perform, SCENES, type Scene } from './recorded/scenes.ts';

interface Opening {
  readonly asked?: Asked;
  readonly resume?: string;
  readonly fault?: string;
  readonly printed?: string[];
}

interface Contender {
  readonly profile: AgentProfile;
  open(workspace: string, mark: string, opening: Opening): Promise<AgentProcess>;
}

const PLAYER = join(import.meta.dirname, 'recorded', 'played-agent.ts');

/** Programs that speak the Agent Client Protocol. */
const byAcp = (agent: string): Contender => {
  const profile = profileOf(agent)!;
  const [command] = profile.commands;
  return {
    profile,
    open: (workspace, mark, { asked = new Asked(), resume, fault = 'none', printed = [] }) =>
      openAcpAgent(command!, {
        argv: [process.execPath, '--no-warnings', PLAYER, agent, resume === undefined ? 'first' : 'second', fault],
        ...{ workspace, mark, env: { PATH: process.env.PATH! }, resume, ask: asked.ask },
        ...{ onText: (_, line) => printed.push(line), signal: new AbortController().signal },
      }),
  };
};

const RECORDED = RUN_AGENTS.filter((agent) => existsSync(pathOf(agent)));

describe.each(RECORDED.map((agent) => [agent, byAcp(agent)] as const))(
  'the runner of %s',
  (agent, { profile, open }) => {
    let workspace: string;
    let mark: string;
    let agentProcess: AgentProcess | undefined;
    beforeEach(() => {
      workspace = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-contract-')));
      mark = crypto.randomUUID();
    });
    afterEach(async () => {
      await agentProcess?.close();
      expect(processesMarked(`OLLM_RUN=${mark}`)).toEqual([]);
      rmSync(workspace, { recursive: true });
    });

    const opened = async (opening: Opening = {}): Promise<AgentProcess> => {
      agentProcess = await open(workspace, mark, opening);
      return agentProcess;
    };

    it('starts in the mode that asks, answers, asks before calls, is cancelled, fails, and resumes its session', async () => {
      const asked = new Asked();
      const first = await opened({ asked });
      const { askMode } = profile.commands[0]!;
      expect(first).toMatchObject({ id: expect.stringMatching(/^\S+$/), takesImages: true, mode: askMode });
      const { lacks = [] } = profile;
      expect([first.models.all.length > 0, first.thinking.all.length > 0]).toEqual([
        !lacks.includes('models'),
        !lacks.includes('thinking'),
      ]);
      const performed = new Map<Scene['name'], Performed>();
      const asking = new Map<Scene['name'], Asked['questions']>();
      for (const scene of SCENES) {
        const before = asked.questions.length;
        performed.set(scene.name, await perform(first, scene, asked));
        asking.set(scene.name, asked.questions.slice(before));
      }
      const of = (name: Scene['name']) => performed.get(name)!;
      expect(of('text')).toMatchObject({ end: { status: 'completed' }, text: ANSWERS.text });
      expect(of('text').thinking.trim()).toBe(THINKS.has(agent) ? ANSWERS.thinking : '');
      expect(asking.get('text')).toEqual([]);

      expect(asking.get('allowed')).toMatchObject([{ callId: expect.any(String), command: COMMAND }]);
      expect(resultsOf(of('allowed')).map(({ isFailed }) => isFailed)).toEqual([false]);
      expect(of('allowed').end.status).toBe('completed');

      expect(asking.get('denied')).toMatchObject([{ command: COMMAND }]);
      expect(resultsOf(of('denied')).filter(({ isFailed }) => !isFailed)).toEqual([]);

      // A user sees the whole change before it is made.
      expect(asking.get('edit')).toHaveLength(1);
      expect(JSON.stringify(asking.get('edit')![0]!.request)).toContain(NOTES.trim());

      expect(of('cancelled').end).toMatchObject({ status: 'stopped' });
      expect(of('cancelled').text).toContain('Port 1000.');
      // Some report only in their file that the model failed.
      const { status, message = '' } = of('failed').end;
      expect([status, message.includes('out of order')]).toEqual(
        REPORT_FAILURES.has(agent) ? ['failed', true] : ['completed', false],
      );
      await first.close();

      mark = crypto.randomUUID();
      const second = await opened({ resume: first.id });
      expect(second).toMatchObject({ id: first.id, mode: askMode });
      expect(await perform(second, SCENES[0]!, new Asked())).toMatchObject({ end: { status: 'completed' } });
    });

    it('skips lines that are not messages, and reports them', async () => {
      const printed: string[] = [];
      const process = await opened({ fault: 'garbage', printed });
      expect(await perform(process, SCENES[0]!, new Asked())).toMatchObject({
        end: { status: 'completed' },
        text: ANSWERS.text,
      });
      expect(printed).toContain('Warning: it prints this');
    });

    it('reads a flood of text whole', async () => {
      const { end, text } = await perform(await opened({ fault: 'floods' }), SCENES[0]!, new Asked());
      expect(end.status).toBe('completed');
      expect(text.length).toBeGreaterThan(5_000);
    });

    it('reports a program that ends in the middle of a line, with the text until then', async () => {
      const { end, text } = await perform(await opened({ fault: 'dies' }), SCENES[0]!, new Asked());
      expect(end).toMatchObject({ status: 'failed', message: expect.stringContaining('exit code 9') });
      expect(ANSWERS.text.startsWith(text) && text !== '').toBe(true);
    });
  },
);

/** Agents that pass on the thoughts of their model. */
const THINKS = new Set(['claude', 'codex', 'copilot', 'gemini', 'kimi', 'opencode', 'qwen']);
const REPORT_FAILURES = new Set(['claude', 'gemini', 'opencode', 'qwen']);

function resultsOf({ signals }: Performed) {
  return signals.flatMap((signal) => (signal.type === 'result' ? [signal] : []));
}
