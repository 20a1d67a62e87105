// The runner for the command line of Claude Code, with a program in its place that has faults.
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import { openClaudeAgent } from '../../../lib/runs/cli/claude-agent.ts';
import { signalsOf } from '../../../lib/runs/cli/claude-messages.ts';
import type { AgentProcess, AgentQuestion, AgentSignal, RunnerRequest } from '../../../lib/runs/runner.ts';

const PROGRAM = join(import.meta.dirname, 'strange-claude.ts');
const never = new AbortController().signal;
let mark: string;
let agent: AgentProcess | undefined;
const texts: string[] = [];

beforeEach(() => {
  mark = crypto.randomUUID();
  texts.length = 0;
});
afterEach(async () => {
  await agent?.close();
  agent = undefined;
  expect(processesMarked(`OLLM_RUN=${mark}`)).toEqual([]);
});

async function strange(fault: string, more: Partial<RunnerRequest> = {}, askMode = 'default'): Promise<AgentProcess> {
  agent = await openClaudeAgent(
    { askMode },
    {
      argv: [process.execPath, '--no-warnings', PROGRAM, fault],
      workspace: realpathSync(tmpdir()),
      env: { PATH: process.env.PATH! },
      mark,
      ask: async () => 'deny',
      onText: (stream, line) => texts.push(`${stream}: ${line}`),
      signal: never,
      ...more,
    },
  );
  return agent;
}

async function prompted(process: AgentProcess, signal = never) {
  const signals: AgentSignal[] = [];
  const end = await process.prompt({ text: 'Do it', images: [] }, (each) => signals.push(each), signal);
  return { end, said: signals.map((each) => (each.type === 'text' ? each.text : '')).join('') };
}

describe('a run of the command line of Claude Code', () => {
  it('has the given id, answers more than once, and treats other lines as text', async () => {
    const process = await strange('none');
    expect(process).toMatchObject({ id: mark, mode: 'default', takesImages: true });
    for (const _ of [1, 2]) {
      expect(await prompted(process)).toEqual({ end: { status: 'completed', reason: 'success' }, said: 'grün' });
    }
    expect(texts).toEqual(expect.arrayContaining(['stdout: a line of its own', 'stderr: another one']));
  });

  it('has the listed models and levels of effort, and refuses others', async () => {
    const process = await strange('none', { model: 'default', thinking: 'high' });
    expect(process.models).toMatchObject({ current: 'default', all: [{ name: 'Default' }, { value: 'small' }] });
    expect(process.thinking).toEqual({
      current: 'high',
      all: ['low', 'high'].map((value) => ({ value, name: value })),
    });
    await expect(process.setThinking('most')).rejects.toMatchObject({ code: 'THINKING_MODE_NOT_SUPPORTED' });
    await expect(process.setModel('none')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await process.setModel('small');
    expect(process.thinking.all).toEqual([]);
  });

  it('is not started in an unknown mode', async () => {
    await expect(strange('none', {}, 'careless')).rejects.toMatchObject({
      code: 'RUNTIME_PERMISSION_NOT_SUPPORTED',
      message: expect.stringContaining('no such mode'),
    });
  });

  it.each([
    ['dies-in-the-middle', 'exit code 9'],
    ['writes-a-long-line', 'more than 32 MiB'],
    ['fails', 'API Error: 400'],
  ])('fails the prompt if the program %s', async (fault, words) => {
    const { end } = await prompted(await strange(fault));
    expect(end).toMatchObject({ status: 'failed', message: expect.stringContaining(words) });
  });

  it('answers each of two questions that are open at the same time, and no if asking fails', async () => {
    const asked: AgentQuestion[] = [];
    const ask: RunnerRequest['ask'] = async (question) => {
      asked.push(question);
      if (question.callId === 'a') return 'allow';
      throw new Error('no terminal');
    };
    const { said } = await prompted(await strange('asks-twice', { ask }));
    expect(said).toContain('{"behavior":"allow","updatedInput":{"command":"echo a"}}');
    expect(said).toContain('"behavior":"deny"');
    expect(asked[0]).toEqual({
      callId: 'a',
      title: 'Bash: echo a',
      command: 'echo a',
      request: { title: 'Bash: echo a', tool: 'Bash', kind: 'execute', input: { command: 'echo a' } },
    });
  });

  it('refuses an unknown request', async () => {
    expect((await prompted(await strange('asks-for-more'))).end.status).toBe('completed');
  });

  it('stops at a cancel', async () => {
    const stop = new AbortController();
    const working = prompted(await strange('waits'), stop.signal);
    await wait(100);
    stop.abort();
    expect((await working).end).toMatchObject({ status: 'stopped', reason: 'error_during_execution' });
  });

  it('ends its question when the prompt is cancelled', async () => {
    const stop = new AbortController();
    let isEnded = false;
    const ask: RunnerRequest['ask'] = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          isEnded = true;
          reject(signal.reason);
        });
        stop.abort();
      });
    expect((await prompted(await strange('asks', { ask }), stop.signal)).end.status).toBe('stopped');
    expect(isEnded).toBe(true);
  });
});

it('the text of an answer is shown once, and of a subagent only its calls', () => {
  const part = { type: 'text', text: 'Hi' };
  const answer = { type: 'assistant', message: { id: 'm-1', content: [part] } };
  expect(signalsOf(answer, 'm-1')).toEqual([]);
  expect(signalsOf(answer, undefined)).toEqual([part]);
  const call = { type: 'tool_use', id: 'c', name: 'Read', input: { file_path: '/a' } };
  const ofSubagent = { ...answer, parent_tool_use_id: 'p', message: { content: [part, call] } };
  expect(signalsOf(ofSubagent, undefined)).toEqual([{ type: 'call', callId: 'c', title: 'Read: /a' }]);
});
