// What each command costs in a home of much, beside a home of little: counted, not timed. What is not about all
// sessions asks for as much of the machine however many there are. A cost that grows is declared with its reason; a
// command that is not in the table fails.
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileSystemWith, openStore } from '../../bench/sessions.ts';
import { createProgram } from '../../lib/cli/program.ts';
import { createSession } from '../../lib/session/create.ts';
import { sha256Of } from '../../lib/session/identify.ts';
import { OPTIONS, turnEvents } from '../session/world.ts';
import { type Counts, countsOf } from '../support/counted-work.ts';

/** What a home has many of. */
const SIZES = { sessions: 10, trash: 10, foreign: 10, events: 10 };
const MANY = 1_000;
type Kind = keyof typeof SIZES;
const KINDS = Object.keys(SIZES) as Kind[];

interface Row {
  readonly args: readonly string[];
  /** Why its cost grows with this. What is left out is constant. */
  readonly grows?: Partial<Record<Kind, string>>;
}

const EACH_SESSION = 'is about every session';
const WHOLE = 'reads the whole session';
const FOREIGN = 'finds the sessions of other programs';
const NEW_TEXTS = 'takes in what is new of every session';
const CHECKED = 'checks the whole journal before it writes';
const IN_TRASH = 'is about every entry of the trash';

const COMMANDS: Readonly<Record<string, Row | { readonly left: string }>> = {
  repl: { left: 'holds the terminal; it opens a session as ask does' },
  resume: { left: 'holds the terminal; it opens a session as ask does' },
  open: { left: 'starts a browser' },
  serve: { left: 'runs until it is stopped' },
  watch: { left: 'runs until it is stopped' },
  store: { left: 'is about servers' },
  append: { left: 'reads its events from standard input' },
  ask: { args: ['ask', '--provider', 'offline', 'where is the harbour?'] },
  list: { args: ['list', '--limit', '10'], grows: { sessions: EACH_SESSION } },
  show: { args: ['show', 'target'], grows: { events: WHOLE } },
  search: {
    args: ['search', 'harbour', '--limit', '5'],
    grows: { sessions: EACH_SESSION, foreign: FOREIGN, events: NEW_TEXTS },
  },
  recall: { args: ['recall', 'harbour'], grows: { sessions: EACH_SESSION, foreign: FOREIGN, events: NEW_TEXTS } },
  tail: { args: ['tail', 'target', '-n', '5'] },
  replay: { args: ['replay', 'target'], grows: { events: WHOLE } },
  export: { args: ['export', 'target'], grows: { events: WHOLE } },
  diff: { args: ['diff', 'target', 'other'], grows: { events: WHOLE } },
  audit: { args: ['audit', 'target'], grows: { events: WHOLE } },
  loop: { args: ['loop', 'target'], grows: { events: WHOLE } },
  files: { args: ['files'] },
  env: { args: ['env'] },
  providers: { args: ['providers'] },
  mcp: { args: ['mcp'] },
  agents: { args: ['agents'], grows: { foreign: FOREIGN } },
  sync: { args: ['sync'], grows: { sessions: EACH_SESSION, foreign: FOREIGN } },
  import: { args: ['import', 'claude:5f3c0000-1111-4222-8333-000000000001'], grows: { foreign: FOREIGN } },
  title: { args: ['title', 'target', 'A new title'], grows: { events: CHECKED } },
  fork: { args: ['fork', 'target'], grows: { events: WHOLE } },
  copy: { args: ['copy', 'target', '--to', 'copies'], grows: { events: WHOLE } },
  revert: { args: ['revert', 'target'], grows: { events: WHOLE } },
  verify: { args: ['verify', 'target'], grows: { events: WHOLE } },
  repair: { args: ['repair', 'target'], grows: { events: WHOLE } },
  delete: { args: ['delete', 'victim', '--yes'] },
  restore: { args: ['restore', 'victim'], grows: { trash: IN_TRASH } },
  reset: { args: ['reset', 'other', '--yes'], grows: { events: CHECKED } },
  rebuild: { args: ['rebuild', 'other'], grows: { events: WHOLE } },
  prune: {
    args: ['prune', '--keep', '5', '--dry-run'],
    grows: { sessions: EACH_SESSION, events: 'reads sessions that no list knows yet' },
  },
  config: { args: ['config', 'path'] },
  doctor: {
    args: ['doctor'],
    grows: { sessions: EACH_SESSION, trash: IN_TRASH, foreign: FOREIGN, events: 'reads snapshots' },
  },
  completion: { args: ['completion', 'bash'] },
};

/** A constant cost may differ by this: a reader reads in pieces of 256 kB, a catalogue is written behind a command. */
const SLACK: Counts = { stats: 100, opens: 50, directories: 20, readBytes: 300_000, parses: 100, rows: 100 };
/** At most, for each session, entry, foreign session or turn. */
const EACH: Counts = { stats: 25, opens: 12, directories: 3, readBytes: 10_000, parses: 25, rows: 25 };

describe('the cost of a command', () => {
  const { env, stdin, stdout, stderr } = process;
  const cwd = process.cwd();
  let top: string;

  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), 'ollm-costs-'));
    const sink = () =>
      Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { fd: openSync('/dev/null', 'w') });
    // The standard input of a worker of Jest never ends.
    Object.defineProperty(process, 'stdin', { get: () => Readable.from([]), configurable: true });
    Object.defineProperty(process, 'stdout', { value: sink(), configurable: true });
    Object.defineProperty(process, 'stderr', { value: sink(), configurable: true });
  });
  afterAll(() => {
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
    Object.defineProperty(process, 'stdout', { value: stdout, configurable: true });
    Object.defineProperty(process, 'stderr', { value: stderr, configurable: true });
    process.env = env;
    process.chdir(cwd);
    rmSync(top, { recursive: true, force: true });
  });

  it('is in the table, for every command', async () => {
    const { commands } = await createProgram(async () => {});
    const names = commands.map((command) => command.name()).filter((name) => name !== 'models');
    expect(names.filter((name) => COMMANDS[name] === undefined)).toEqual([]);
  });

  it('does not grow with what the command is not about', async () => {
    const little = await allCounts('little', SIZES);
    const found: string[] = [];
    for (const kind of KINDS) {
      const much = await allCounts(kind, { ...SIZES, [kind]: MANY });
      for (const [name, counts] of Object.entries(much)) {
        const row = COMMANDS[name] as Row;
        const reason = row.grows?.[kind];
        for (const what of Object.keys(SLACK) as (keyof Counts)[]) {
          const most = little[name]![what] + SLACK[what] + (reason === undefined ? 0 : EACH[what] * MANY);
          if (counts[what] > most)
            found.push(`${name}, ${MANY} ${kind}: ${what} ${little[name]![what]} → ${counts[what]}`);
        }
      }
    }
    expect(found).toEqual([]);
    expect(refused).toEqual([]);
  });

  async function allCounts(name: string, sizes: typeof SIZES): Promise<Record<string, Counts>> {
    const home = join(top, name);
    await fill(home, sizes);
    process.chdir(join(home, 'project'));
    process.env = {
      ...{ PATH: env.PATH, HOME: home, OLLM_HOME: join(home, 'ollm'), NO_COLOR: '1' },
      ...{ OLLM_SERVICES__SESSION__MAX_SESSIONS: '100000', OLLAMA_HOST: 'http://127.0.0.1:9' },
    };
    const counts: Record<string, Counts> = {};
    for (const [command, row] of Object.entries(COMMANDS)) {
      if ('args' in row) counts[command] = await countsOf(() => runHere(command, row.args));
    }
    return counts;
  }
});

const refused: string[] = [];

/** Runs a command in this process. */
async function runHere(command: string, args: readonly string[]): Promise<void> {
  const program = await createProgram(async (shell, work) => {
    await work().catch((error: unknown) => {
      refused.push(`${command}: ${error}`);
    });
    await shell.output.flush();
    await shell.app?.close();
  }, command);
  await program.parseAsync(args, { from: 'user' });
}

async function fill(home: string, sizes: typeof SIZES): Promise<void> {
  const directory = join(home, 'ollm', 'session-data');
  for (const each of [directory, join(home, 'project')]) mkdirSync(each, { recursive: true });
  // What a test makes need not survive anything.
  const store = openStore(directory, { ...fileSystemWith(async () => {}), syncDirectory: async () => {} });
  const file = join(home, 'prompt.md');
  writeFileSync(file, 'Be brief.');
  const prompt = { file, sha256: sha256Of(Buffer.from('Be brief.')) };
  const make = async (id: string, turns: number) => {
    const created = { provider: 'offline', model: 'search', ollm: '0.0.0', cwd: join(home, 'project'), prompt };
    const session = await createSession(store, { id, created }, OPTIONS);
    for (let turn = 1; turn <= turns; turn += 1) {
      await session.append(turnEvents(turn, `${turn}. Where is the harbour of ${id}?`, 'Behind the dunes.'));
    }
    await session.close('exit');
  };
  for (let at = 0; at < sizes.sessions; at += 1) await make(`s-${at}`, 1);
  for (let at = 0; at < sizes.trash; at += 1) {
    await make(`t-${at}`, 1);
    await store.trash(`t-${at}`);
  }
  for (const id of ['target', 'other']) await make(id, sizes.events);
  await make('victim', 1);
  const claude = join(home, '.claude/projects/-home-me');
  mkdirSync(claude, { recursive: true });
  for (let at = 0; at < sizes.foreign; at += 1) {
    const sessionId = `5f3c0000-1111-4222-8333-${String(at).padStart(12, '0')}`;
    const message = { role: 'user', content: `Where is the harbour? ${at}` };
    const record = { sessionId, cwd: home, type: 'user', uuid: `u${at}`, parentUuid: null, message };
    const timestamp = '2026-01-02T10:00:00.000Z';
    writeFileSync(
      join(claude, `${sessionId}.jsonl`),
      `${JSON.stringify({ ...record, timestamp, version: '2.1.0' })}\n`,
    );
  }
}
