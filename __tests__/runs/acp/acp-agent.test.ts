// The runner for programs that speak the Agent Client Protocol, with two of them: ollm itself as the agent, and one
// with faults.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import { type AcpCommand, openAcpAgent } from '../../../lib/runs/acp/acp-agent.ts';
import { profileOf } from '../../../lib/runs/profiles.ts';
import type { AgentProcess, AgentQuestion, AgentSignal, RunnerRequest } from '../../../lib/runs/runner.ts';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { until } from '../../support/until.ts';

let home: Home;
let project: string;
let mark: string;
let agent: AgentProcess | undefined;
const texts: string[] = [];

beforeEach(() => {
  home = createHome();
  project = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-run-')));
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, 'notes.md'), 'The harbour light is green.\n');
  mark = crypto.randomUUID();
  texts.length = 0;
});
afterEach(async () => {
  await agent?.close();
  agent = undefined;
  expect(processesMarked(`OLLM_RUN=${mark}`)).toEqual([]);
  home[Symbol.dispose]();
  rmSync(project, { recursive: true });
});

const WRITE = 'file_write {"path":"light.ts","content":"export const colour = 1;\\n"}';
const never = new AbortController().signal;

interface Opening extends Partial<Pick<RunnerRequest, 'resume' | 'ask' | 'signal'>> {
  readonly argv: RunnerRequest['argv'];
  readonly command?: AcpCommand;
}

async function open({ argv, command = {}, ask = async () => 'deny', ...more }: Opening): Promise<AgentProcess> {
  const env = { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path };
  const onText: RunnerRequest['onText'] = (stream, line) => texts.push(`${stream}: ${line}`);
  agent = await openAcpAgent(command, { argv, workspace: project, env, mark, ask, onText, signal: never, ...more });
  return agent;
}

async function prompted(process: AgentProcess, text: string, signal = never) {
  const signals: AgentSignal[] = [];
  const end = await process.prompt({ text, images: [] }, (each) => signals.push(each), signal);
  const said = signals.map((each) => (each.type === 'text' ? each.text : '')).join('');
  return { end, signals, said };
}

describe('a run of ollm itself as the agent', () => {
  const ollm = (more: Omit<Opening, 'argv'> = {}) =>
    open({ argv: [process.execPath, OLLM, 'acp', '--provider', 'offline'], command: { askMode: 'ask' }, ...more });

  it('answers a prompt in its own session, which a second run continues', async () => {
    const first = await ollm();
    const { end, said } = await prompted(first, 'Which colour has the harbour light?');
    expect(end).toEqual({ status: 'completed', reason: 'end_turn' });
    expect(said).toContain('notes.md');
    expect(first).toMatchObject({ mode: 'ask', takesImages: true });
    await first.close();
    const second = await ollm({ resume: first.id });
    expect(second.id).toBe(first.id);
    expect((await prompted(second, 'And which sound?')).signals.length).toBeGreaterThan(0);
    await second.close();
    const { stdout } = await home.run(['export', first.id]);
    expect(stdout).toContain('Which colour has the harbour light?');
    expect(stdout).toContain('And which sound?');
  });

  it.each([
    ['allow', true],
    ['deny', false],
  ] as const)('asks before a call, and obeys the user: %s', async (answer, isWritten) => {
    const questions: AgentQuestion[] = [];
    const process = await ollm({
      ask: async (question) => {
        expect(existsSync(join(project, 'light.ts'))).toBe(false);
        questions.push(question);
        return answer;
      },
    });
    const { signals } = await prompted(process, WRITE);
    expect(existsSync(join(project, 'light.ts'))).toBe(isWritten);
    expect(questions).toHaveLength(1);
    expect(JSON.stringify(questions[0]!.request)).toContain('export const colour = 1;');
    expect(signals.findLast(({ type }) => type === 'result')).toMatchObject({ isFailed: !isWritten });
  });

  it('is not started in a mode that does not ask', async () => {
    await expect(ollm({ command: { askMode: 'yolo' } })).rejects.toMatchObject({
      code: 'RUNTIME_PERMISSION_NOT_SUPPORTED',
      message: expect.stringContaining('it offers ask'),
    });
  });

  it('cannot continue a session that it does not have', async () => {
    await expect(ollm({ resume: 'no-such-session' })).rejects.toMatchObject({
      code: 'AGENT_START_FAILED',
      message: expect.stringContaining('no-such-session'),
    });
  });

  it('ends its question when the prompt is cancelled, and then the turn', async () => {
    const stop = new AbortController();
    let asked: AbortSignal | undefined;
    const process = await ollm({
      ask: (_, signal) => {
        asked = signal;
        stop.abort();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const { end } = await prompted(process, WRITE, stop.signal);
    expect(end.status).toBe('stopped');
    expect(asked?.aborted).toBe(true);
    expect(existsSync(join(project, 'light.ts'))).toBe(false);
    // It goes on with the next prompt.
    expect((await prompted(process, 'Which colour has the harbour light?')).end.status).toBe('completed');
  });
});

describe('a run of a faulty agent', () => {
  const strange = (fault: string, more: Omit<Opening, 'argv'> = {}) =>
    open({ argv: [process.execPath, '--no-warnings', join(import.meta.dirname, 'strange-agent.ts'), fault], ...more });

  it.each([
    ['dies-at-once', 'AGENT_START_FAILED', 'no such model'],
    ['wants-a-sign-in', 'AGENT_NOT_SIGNED_IN', 'Authentication required'],
  ])('reports that it %s', async (fault, code, words) => {
    await expect(strange(fault)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it('reports a program that does not exist', async () => {
    await expect(open({ argv: ['/no/such/program'] })).rejects.toMatchObject({ code: 'AGENT_START_FAILED' });
  });

  it('does not wait for a silent agent after the user gave up', async () => {
    const stop = new AbortController();
    const opening = strange('says-nothing', { signal: stop.signal });
    stop.abort(new Error('given up'));
    await expect(opening).rejects.toThrow('given up');
  });

  it('refuses an agent whose only mode does not ask', async () => {
    const refused = strange('has-one-mode', { command: { askMode: 'default' } });
    await expect(refused).rejects.toMatchObject({ code: 'RUNTIME_PERMISSION_NOT_SUPPORTED' });
  });

  it('treats lines that are not messages as text, and continues reading', async () => {
    const { said } = await prompted(await strange('none'), 'Say something');
    expect(said).toBe('word ');
    await until(() => texts.length === 2);
    expect(texts.sort()).toEqual(['stderr: another one', 'stdout: a line of its own']);
  });

  it('reads messages that arrive byte by byte, and many together', async () => {
    expect((await prompted(await strange('splits-bytes'), 'Say something')).said).toBe('grün');
    await agent!.close();
    mark = crypto.randomUUID();
    expect((await prompted(await strange('floods'), 'Say something')).said).toBe('word '.repeat(20_000));
  });

  it.each([
    ['dies-in-the-middle', 'broken', 'exit code 9'],
    ['ends-well-without-an-answer', 'broken', 'exit code 0. It printed: {"jsonrpc":"2.0","id":'],
    ['answers-nonsense', 'broken', 'did not say how its turn ended'],
    ['writes-a-long-line', 'broken', 'more than 32 MiB'],
    ['fails', 'error', 'HTTP 400'],
  ])('fails the prompt if the agent %s', async (fault, reason, words) => {
    const { end } = await prompted(await strange(fault), 'Say something');
    expect(end).toMatchObject({ status: 'failed', reason, message: expect.stringContaining(words) });
  });

  it('treats messages that are none of the protocol as text, and prints none of them', async () => {
    const printed = jest.spyOn(console, 'error');
    const { said, end } = await prompted(await strange('says-nonsense'), 'Say something');
    expect([said, end.status]).toEqual(['word ', 'completed']);
    expect(texts).toHaveLength(9);
    expect(printed).not.toHaveBeenCalled();
  });

  it('answers each of two questions that are open at the same time, and never with “always”', async () => {
    const answer = async ({ callId }: AgentQuestion) => (callId === 'a' ? 'allow' : 'deny') as 'allow' | 'deny';
    const { said } = await prompted(await strange('asks-twice', { ask: answer }), 'Do both');
    expect(said).toContain('"optionId":"yes"');
    expect(said).toContain('"optionId":"no"');
    expect(said).not.toContain('for-ever');
  });

  it('denies if asking fails', async () => {
    const ask = () => Promise.reject(new Error('no terminal'));
    expect((await prompted(await strange('asks', { ask }), 'Do it')).said).toContain('"optionId":"no"');
  });

  it('ends an agent that ignores a cancel', async () => {
    const stop = new AbortController();
    const process = await strange('ignores-a-cancel');
    const working = prompted(process, 'Go on', stop.signal);
    await wait(100);
    stop.abort();
    expect((await working).end).toEqual({ status: 'stopped', reason: 'killed' });
    await process.exited;
  });

  it.each([
    ['fails', true],
    ['fails-and-leaves-a-child', false],
  ])('ends an adapter that %s if nothing that it started is left: %s', async (fault, isEnded) => {
    const { behind } = profileOf('claude')!.commands[0]!;
    const process = await strange(fault, { command: { behind } });
    const { end } = await prompted(process, 'Say something');
    expect(end).toMatchObject({ status: 'failed', reason: isEnded ? 'broken' : 'error' });
    expect(processesMarked(`OLLM_RUN=${mark}`)).toHaveLength(isEnded ? 0 : 2);
  });

  it('listens for the end of its agent once, however many prompts it gets', async () => {
    const process = await strange('none');
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    globalThis.process.on('warning', hear);
    for (let count = 0; count < 12; count += 1) await prompted(process, 'Say something');
    await process.close();
    await wait(0);
    globalThis.process.off('warning', hear);
    expect(warnings).toEqual([]);
  });

  it('ends the processes that the agent has left running', async () => {
    await strange('leaves-a-child');
    await until(() => processesMarked(`OLLM_RUN=${mark}`).length === 2);
    await agent!.close();
    expect(processesMarked(`OLLM_RUN=${mark}`)).toEqual([]);
  });
});
