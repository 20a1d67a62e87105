// Agents of other makers, as .ci/install-agents installs them, run by `ollm ask --agent`: offline, with a model server
// of the test. The journal is held against the files that they write themselves.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importedId } from '../../../lib/agents/address.ts';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import { copilot } from '../../agents/programs/copilot.ts';
import { commandOf } from '../../agents/programs/program.ts';
import { qwen } from '../../agents/programs/qwen.ts';
import { OLLM, parseLines } from '../../support/cli.ts';
import { goOffline, type Offline } from '../../support/offline.ts';
import type { ScriptedTurn } from '../../support/scripted-turn.ts';

const plain: ScriptedTurn = { prompt: 'Which port does the server take?', answer: 'The server takes port 4711.' };
const ports = Array.from({ length: 40 }, (_, index) => `Port ${1000 + index * 20}.`).join(' ');
const slow: ScriptedTurn = { prompt: 'List the ports below 2000.', answer: ports, isSlow: true };

describe.each([qwen, copilot])('$agent, run by ollm', (program) => {
  const command = commandOf(program);
  const { agent } = program;
  if (command === undefined) {
    it.skip('(skipped where it is not installed: run .ci/install-agents)', () => {});
    return;
  }
  const call = program.call('echo run >> made.txt && cat made.txt');
  const working: ScriptedTurn = { prompt: 'Make the file now.', call, answer: 'It is made.' };
  // Gemini CLI would let a model choose the model.
  const model = agent === 'gemini' ? ['-m', program.model] : [];
  let offline: Offline;
  let cwd: string;
  let address: string;

  beforeAll(async () => {
    offline = await goOffline([plain, working, slow], program.files);
    cwd = join(offline.home, 'project');
    mkdirSync(join(offline.home, '.ollm'));
    mkdirSync(cwd);
    const settings = { trustedDirectories: [cwd], server: { allowUnattended: true } };
    writeFileSync(join(offline.home, '.ollm', 'config.yaml'), JSON.stringify(settings));
    const first = await ask(plain.prompt);
    address = new RegExp(`${agent}:\\S+`).exec(first)![0];
    expect(first).toContain(plain.answer);
  });
  afterAll(() => offline?.[Symbol.asyncDispose]());

  it('answers, in a session of its own that is imported already', async () => {
    const shown = await ollm('show', address, '--json');
    const session = JSON.parse(shown.slice(shown.indexOf('{'), shown.lastIndexOf('}') + 1)) as object;
    expect(session).toMatchObject({ id: address, agent: { name: agent } });
    expect(await ollm('export', address, '--imported')).toContain(plain.answer);
    expect(await ollm('sync')).not.toContain('SESSION_EXISTS');
  });

  it('makes its call only if that is allowed, and the decision is stored before the result', async () => {
    expect(await ask(working.prompt, '--resume', address, '--permissions', 'deny')).not.toContain('INTERNAL');
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    expect(await ask(working.prompt, '--resume', address)).toContain('Ask at a terminal');
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    expect(await ask(working.prompt, '--resume', address, '--permissions', 'allow')).toContain(working.answer);
    expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('run\n');
    const asked = events().filter(({ type }) => type === 'run.asked');
    const decided = events().filter(({ type, data }) => type === 'tool.decided' && data.origin === undefined);
    expect(decided.map(({ data }) => data.decision)).toEqual(['deny', 'deny', 'allow']);
    for (const [index, { seq, data }] of asked.entries()) {
      expect(decided[index]).toMatchObject({ data: { callId: data.callId, actionHash: data.hash } });
      expect(decided[index]!.seq).toBeGreaterThan(seq);
      const result = events().find((event) => event.type === 'tool.finished' && event.data.callId === data.callId);
      if (result !== undefined) expect(result.seq).toBeGreaterThan(decided[index]!.seq);
    }
    expect(asked).toHaveLength(3);
  });

  it('is stopped by Ctrl+C, and its words until then are kept', async () => {
    const env = environment();
    const printed = await offline.run([process.execPath, OLLM, ...askArguments(slow.prompt, '--resume', address)], {
      ...{ cwd, env },
      isInterrupted: true,
    });
    expect(printed).toContain('Port 1000.');
    expect(events().findLast(({ type }) => type === 'run.status')).toMatchObject({ data: { to: 'stopped' } });
    const said = JSON.stringify(events().filter(({ type }) => type === 'run.partial' || type === 'message.added'));
    expect(said).toContain('Port 1000.');
    expect(left()).toEqual([]);
  });

  it('leaves nothing running when ollm is killed, and its next run says so', async () => {
    const before = events().length;
    await offline.run([process.execPath, OLLM, ...askArguments(slow.prompt, '--resume', address)], {
      ...{ cwd, env: environment() },
      isKilled: true,
    });
    expect(events().findLast(({ type }) => type === 'run.status')).toMatchObject({ data: { to: 'running' } });
    expect(await ask(plain.prompt, '--resume', address)).toContain(plain.answer);
    expect(left()).toEqual([]);
    const after = events().slice(before);
    const closed = after.find(({ type, data }) => type === 'run.ended' && data.reason === 'interrupted');
    const failed = after.find(({ type, data }) => type === 'run.status' && data.reason === 'interrupted');
    expect(failed).toMatchObject({ data: { run: closed?.data.run, from: 'running', to: 'failed' } });
  });

  it('has said the same in its journal as one import of its file has', async () => {
    const other = join(offline.home, 'other');
    mkdirSync(other);
    await ollm('import', address);
    await ollm('--home', other, 'import', address);
    const once = eventsIn(join(other, 'session-data'));
    expect(saidIn(events())).toEqual(saidIn(once));
    expect(saidIn(once).length).toBeGreaterThan(5);
    rmSync(other, { recursive: true });
  });

  function environment(): Record<string, string> {
    const PATH = `${dirname(command!)}:${dirname(process.execPath)}:${process.env.PATH}`;
    return { ...program.env(offline.url), PATH };
  }

  function askArguments(prompt: string, ...more: readonly string[]): readonly string[] {
    return ['ask', '--agent', agent, ...model, ...more, prompt];
  }

  function ask(prompt: string, ...more: readonly string[]): Promise<string> {
    return ollm(...askArguments(prompt, ...more));
  }

  function ollm(...args: readonly string[]): Promise<string> {
    return offline.run([process.execPath, OLLM, ...args], { cwd, env: environment() });
  }

  function events(): readonly Stored[] {
    return eventsIn(join(offline.home, '.ollm', 'session-data'), importedId(agent, address.slice(agent.length + 1)));
  }

  /** The processes that the runs of this journal have left running. */
  function left(): readonly number[] {
    return events().flatMap(({ type, data }) => (type === 'run.started' ? processesMarked(String(data.mark)) : []));
  }
});

interface Stored {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function eventsIn(directory: string, id?: string): readonly Stored[] {
  const name = id === undefined ? readdirSync(directory).find((file) => file.endsWith('.jsonl')) : `${id}.jsonl`;
  return parseLines(readFileSync(join(directory, name!), 'utf8')) as unknown as readonly Stored[];
}

/** The events of the source, without the first line, which was made before it. */
function saidIn(events: readonly Stored[]): readonly unknown[] {
  return events
    .filter(({ type, data }) => data.origin !== undefined && type !== 'session.created')
    .map(({ type, data: { origin: _, ...data } }) => [type, data]);
}
