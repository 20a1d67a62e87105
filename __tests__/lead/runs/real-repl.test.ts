// Agents of other makers, as .ci/install-agents installs them, in the REPL of ollm on a terminal: offline, with a model
// server of the test. Its user allows and denies, attaches an image, types ahead, cancels, and either side is killed.
// After that the journal is held against one import of the file that the agent wrote itself.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importedId } from '../../../lib/agents/address.ts';
import { processesMarked, startedBy } from '../../../lib/platform/processes/process-tree.ts';
import { OLLM, parseLines } from '../../support/cli.ts';
import { PNG } from '../../support/conversations-in-forms.ts';
import { goOffline, type Offline } from '../../support/offline.ts';
import { linesWith, pressKey } from '../../support/press-key.ts';
import type { ScriptedTurn } from '../../support/scripted-turn.ts';
import { openTerminal, type ProcessTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { askedCall, foldersOf, REPL_PROGRAMS } from './run-programs.ts';

const plain: ScriptedTurn = { prompt: 'Which port does the server take?', answer: 'It takes port 4711.' };
const ports = Array.from({ length: 60 }, (_, index) => `Port ${1000 + index * 20}.`).join(' ');
const slow: ScriptedTurn = { prompt: 'List the ports below 2200.', answer: ports, isSlow: true };
const picture: ScriptedTurn = { prompt: 'What is in @dot.png now?', answer: 'A dot is in it.' };

/** Programs whose session is not resumed here, and why. */
const NOT_RESUMED: Readonly<Record<string, string>> = {
  gemini: 'Gemini CLI 0.61 deletes a session that went on, at its next start: runs/contract has it resumed once',
};

describe.each(REPL_PROGRAMS)('$agent in the REPL', (program) => {
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

  // A second try begins with nothing of the first.
  beforeEach(async () => {
    offline = await goOffline([plain, working, slow, picture], program.files);
    cwd = join(offline.home, 'project');
    mkdirSync(join(cwd, '.git'), { recursive: true });
    writeFileSync(join(cwd, 'dot.png'), Buffer.from(PNG, 'base64'));
    mkdirSync(join(offline.home, '.ollm'));
  });
  afterEach(() => offline?.[Symbol.asyncDispose]());

  const whyNot = NOT_RESUMED[agent];
  const goesOn = whyNot === undefined ? 'goes on after' : 'says so at';
  const note = whyNot === undefined ? '' : ` (${whyNot})`;
  it(`works in a trusted directory, answers, asks, is cancelled, and ${goesOn} the death of either side${note}`, async () => {
    trust([]);
    await using refused = terminal('repl', '--agent', agent);
    await refused.waitFor('is not a directory that you trust.');
    expect((await refused.exit).code).toBe(7);
    trust([cwd]);

    await using first = terminal('repl', '--agent', agent);
    await first.waitFor(`answers, as ${agent}:`);
    await said(first, plain);
    // Yes, with the whole request on the screen, then no.
    await asked(first, 'y');
    expect(made()).toBe('run\n');
    await ready(first);
    await asked(first, 'n');
    await pressKey(first, '\r', () => linesWith(first, '· denied') > 0);
    await ready(first);
    expect(made()).toBe('run\n');
    expect(first.lines().join('\n')).not.toMatch(/^│ [{}"]/m);
    await said(first, picture);
    // A model that is not known to see images gets a word for it.
    const seesImage = (each: unknown) => {
      const text = JSON.stringify(each);
      return text.includes('dot.png') && /image\/png|"image(_url)?"/.test(text);
    };
    // A message of the program's own file comes a moment after its answer.
    await until(() => [...offline.requests(), ...eventsOf('message.added')].some(seesImage));
    await typed(first, '/help', '/help all lists everything');
    await slowly(first);
    first.type('\x03');
    await first.waitFor('Cancelled.');

    const ends = ['failed'];
    // If an adapter speaks for the agent, only the program is killed: both are ended, and started again.
    const { adapter, mark } = eventsOf('run.started')[0]!.data as { adapter?: { path: string }; mark: string };
    if (adapter !== undefined) {
      await slowly(first);
      for (const pid of startedBy(adapter.path, mark)!) kill(pid);
      await first.waitFor('The next message starts it again.');
      expect(processesMarked(mark)).toEqual([]);
      await said(first, plain);
      expect(first.lines().join(' ')).toContain('had ended, and was started again.');
      ends.push('failed');
    }

    // The agent is killed in a turn: it is started again for the next message.
    await slowly(first);
    for (const pid of marked()) kill(pid);
    await first.waitFor('It was ended by SIGKILL');
    const address = `${agent}:${eventsOf('session.created')[0]!.data.origin!.sessionId}`;
    if (whyNot === undefined) {
      await said(first, plain);
      expect(first.lines().join(' ')).toContain('had ended, and was started again.');
      // ollm is killed in a turn: the agent ends with it, and the session is resumed.
      await slowly(first);
      first.kill('SIGKILL');
      await until(() => marked().length === 0);
      await using again = terminal('resume', address, '--agent');
      await again.waitFor('The last turn ended with the ollm that led it');
      await said(again, plain);
      await quit(again);
      ends.push('interrupted', 'stopped');
    } else await quit(first);
    await until(() => marked().length === 0);
    expect(eventsOf('run.ended').map(({ data }) => data.reason)).toEqual(ends);
    const decisions = eventsOf('tool.decided').filter(({ data }) => data.origin === undefined);
    expect(decisions.map(({ data }) => [data.decision, data.by])).toEqual([
      ['allow', 'user'],
      ['deny', 'user'],
    ]);

    // The journal is equal to one import of the finished file, and its audit finds nothing.
    await ollm('import', address);
    const other = join(offline.home, 'other');
    mkdirSync(other);
    await ollm('--home', other, 'import', address);
    const once = saidIn(storedIn(join(other, 'session-data')));
    expect(saidIn(storedIn(sessions()))).toEqual(once);
    expect(once.length).toBeGreaterThan(10);
    const audited = await ollm('audit', importedId(agent, address.slice(agent.length + 1)));
    expect(audited).toContain('allow by user');
    expect(audited.match(/^ {2}!.*/gm)).toBeNull();
  });

  function trust(trustedDirectories: readonly string[]): void {
    const services = { environment: { allowList: Object.keys(program.env(offline.url)) } };
    writeFileSync(join(offline.home, '.ollm', 'config.yaml'), JSON.stringify({ trustedDirectories, services }));
  }

  async function said(screen: ProcessTerminal, { prompt, answer }: ScriptedTurn): Promise<void> {
    await ready(screen);
    await typed(screen, prompt, answer);
  }

  async function asked(screen: ProcessTerminal, key: 'y' | 'n'): Promise<void> {
    const sign = key === 'y' ? '→ yes' : '→ no';
    await typed(screen, working.prompt, '[y]es');
    await pressKey(screen, key, () => linesWith(screen, sign) > 0);
    if (key === 'y') await screen.waitFor(working.answer);
  }

  function made(): string {
    const path = join(cwd, 'made.txt');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** The processes of the runs of this journal. */
  function marked(): readonly number[] {
    return eventsOf('run.started').flatMap(({ data }) => processesMarked(String(data.mark)));
  }

  function eventsOf(type: string): readonly Stored[] {
    return storedIn(sessions()).filter((event) => event.type === type);
  }

  function sessions(): string {
    return join(offline.home, '.ollm', 'session-data');
  }

  /** Resolves when its turn has begun to answer. */
  async function slowly(screen: ProcessTerminal): Promise<void> {
    await ready(screen);
    screen.type(`${slow.prompt}\r`);
    await screen.waitFor('Port 1000.');
  }

  async function quit(screen: ProcessTerminal): Promise<void> {
    await ready(screen);
    screen.type('/quit\r');
    await screen.waitFor('Continue with: ollm resume');
    expect((await screen.exit).code).toBe(0);
  }

  function ollm(...args: readonly string[]): Promise<string> {
    return offline.run([process.execPath, OLLM, ...args], { cwd, env: environment() });
  }

  function terminal(...args: readonly string[]): ProcessTerminal {
    const { argv, env } = offline.inside([process.execPath, OLLM, ...args]);
    const [command = '', ...rest] = argv;
    const all = { ...env, ...environment(), TERM: 'xterm-256color' };
    return openTerminal(command, rest, { cwd, env: all, columns: 100, rows: 50 });
  }

  function environment(): Record<string, string> {
    const PATH = [...folders!, dirname(process.execPath), process.env.PATH].join(':');
    return { ...program.env(offline.url), PATH };
  }
});

/** The events of its only journal. */
function storedIn(directory: string): readonly Stored[] {
  const name = readdirSync(directory).find((file) => file.endsWith('.jsonl'))!;
  return parseLines(readFileSync(join(directory, name), 'utf8')) as unknown as readonly Stored[];
}

/** The events of the source, without the first line, which was made before it; the head of a branch as their count. */
function saidIn(events: readonly Stored[]): readonly unknown[] {
  const said = events.filter(({ type, data }) => data.origin !== undefined && type !== 'session.created');
  const countTo = (head: unknown) => said.filter(({ seq }) => seq <= Number(head)).length;
  return said.map(({ type, data: { origin: _, head, ...data } }) => [
    type,
    { ...data, ...(head !== undefined && { head: countTo(head) }) },
  ]);
}

interface Stored {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly origin?: { readonly sessionId: string } };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with the one before.
  }
}

const isReady = (lines: readonly string[]) => lines.at(-1) === '>';

/** A key that is typed before the prompt is there belongs to no line. */
function ready(screen: ProcessTerminal): Promise<void> {
  return screen.waitUntil(isReady, 'the prompt');
}

async function typed(screen: ProcessTerminal, line: string, answered: string): Promise<void> {
  await ready(screen);
  screen.type(`${line}\r`);
  await screen.waitFor(answered);
}
