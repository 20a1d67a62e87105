// Agents of other makers, as .ci/install-agents installs them, run by `ollm ask --agent`: offline, with a model server
// of the test. What else they do is tried in the REPL (real-repl).
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importedId } from '../../../lib/agents/address.ts';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import type { Program } from '../../agents/programs/program.ts';
import { OLLM, parseLines } from '../../support/cli.ts';
import { goOffline, type Offline } from '../../support/offline.ts';
import type { ScriptedTurn } from '../../support/scripted-turn.ts';
import { askedCall, foldersOf, RUN_PROGRAMS } from './run-programs.ts';

const plain: ScriptedTurn = { prompt: 'Which port does the server take?', answer: 'The server takes port 4711.' };
const ports = Array.from({ length: 40 }, (_, index) => `Port ${1000 + index * 20}.`).join(' ');
const slow: ScriptedTurn = { prompt: 'List the ports below 2000.', answer: ports, isSlow: true };

describe.each(RUN_PROGRAMS)('$agent, run by ollm', (program) => {
  const folders = foldersOf(program);
  const { agent } = program;
  if (folders === undefined) {
    it.skip('(skipped where it is not installed: run .ci/install-agents)', () => {});
    return;
  }
  const call = askedCall(program, 'echo run >> made.txt && cat made.txt');
  const working: ScriptedTurn = { prompt: 'Make the file now.', call, answer: 'It is made.' };
  let offline: Offline;
  let cwd: string;
  let address: string;

  beforeAll(async () => {
    offline = await goOffline([plain, working, slow], program.files);
    cwd = join(offline.home, 'project');
    mkdirSync(cwd);
    trustIn(offline.home, cwd, Object.keys(program.env(offline.url)));
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

  function environment(): Record<string, string> {
    return environmentOf(program, folders!, offline.url);
  }

  function askArguments(prompt: string, ...more: readonly string[]): readonly string[] {
    return ['ask', '--agent', agent, ...more, prompt];
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

function trustIn(home: string, cwd: string, allowList: readonly string[]): void {
  mkdirSync(join(home, '.ollm'));
  const services = { environment: { allowList } };
  const settings = { trustedDirectories: [cwd], server: { allowUnattended: true }, services };
  writeFileSync(join(home, '.ollm', 'config.yaml'), JSON.stringify(settings));
}

function environmentOf(program: Program, folders: readonly string[], url: string): Record<string, string> {
  return { ...program.env(url), PATH: [...folders, dirname(process.execPath), process.env.PATH].join(':') };
}

interface Stored {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function eventsIn(directory: string, id?: string): readonly Stored[] {
  const name = id === undefined ? readdirSync(directory).find((file) => file.endsWith('.jsonl')) : `${id}.jsonl`;
  return parseLines(readFileSync(join(directory, name!), 'utf8')) as unknown as readonly Stored[];
}
