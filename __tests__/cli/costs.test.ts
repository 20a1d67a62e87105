// The cost of each command in a large home, compared with a small one: counted, not timed. A command that is not about
// all sessions costs the same for any number of them. A growing cost is declared with its reason; a command that is not
// in the table fails.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { createProgram } from '../../lib/cli/program.ts';
import { type Counts, countsOf } from '../support/counted-work.ts';
import { anHourLater, fillHome, type Growth, KINDS, LITTLE, overBound, type Sizes } from '../support/home-of-much.ts';

/** More than a constant cost may differ by. `npm run test:costs` takes 10,000. */
const MANY = Number(process.env.COSTS_MANY ?? 400);

interface Row {
  readonly args: readonly string[];
  readonly grows?: Growth;
}

const KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
const EACH_SESSION = 'is about every session';
const WHOLE = 'reads the whole session';
const FOREIGN = 'finds the sessions of other programs';
const EACH_FILE = 'looks whether each file has changed';
const NEW_TEXTS = 'takes in what is new of every session';
const CHECKED = 'checks the whole journal before it writes';
const IN_TRASH = 'is about every entry of the trash';

const COMMANDS: Readonly<Record<string, Row | { readonly left: string }>> = {
  repl: { left: 'holds the terminal; it opens a session as ask does' },
  resume: { left: 'holds the terminal; it opens a session as ask does' },
  open: { left: 'starts a browser' },
  acp: { left: 'runs until it is stopped' },
  serve: { left: 'runs until it is stopped' },
  watch: { left: 'runs until it is stopped' },
  store: { left: 'is about servers' },
  append: { left: 'reads its events from standard input' },
  ask: { args: ['ask', '--provider', 'offline', 'where is the harbour?'], grows: { files: EACH_FILE } },
  list: { args: ['list', '--limit', '10'], grows: { sessions: EACH_SESSION } },
  show: { args: ['show', 'target'], grows: { events: WHOLE } },
  search: {
    args: ['search', 'harbour', '--limit', '5'],
    grows: { sessions: EACH_SESSION, foreign: FOREIGN, events: NEW_TEXTS },
  },
  stats: { args: ['stats'], grows: { sessions: EACH_SESSION, foreign: FOREIGN, events: NEW_TEXTS } },
  recall: {
    args: ['recall', 'harbour'],
    grows: { sessions: EACH_SESSION, foreign: FOREIGN, events: NEW_TEXTS, files: EACH_FILE },
  },
  blame: { args: ['blame', 'key.pem'], grows: { sessions: EACH_SESSION, foreign: FOREIGN, events: NEW_TEXTS } },
  tail: { args: ['tail', 'target', '-n', '5'] },
  replay: { args: ['replay', 'target'], grows: { events: WHOLE } },
  export: { args: ['export', 'target'], grows: { events: WHOLE } },
  share: { args: ['share', 'target', '--static', '--dry-run'], grows: { events: WHOLE } },
  diff: { args: ['diff', 'target', 'other'], grows: { events: WHOLE } },
  audit: { args: ['audit', 'target'], grows: { events: WHOLE } },
  loop: { args: ['loop', 'target'], grows: { events: WHOLE } },
  files: { args: ['files'], grows: { files: 'lists each file' } },
  env: { args: ['env'] },
  providers: { args: ['providers'] },
  mcp: { args: ['mcp'] },
  skills: { args: ['skills'] },
  agents: { args: ['agents'], grows: { foreign: FOREIGN } },
  sync: { args: ['sync'], grows: { sessions: EACH_SESSION, foreign: FOREIGN } },
  import: { args: ['import', 'claude:5f3c0000-1111-4222-8333-000000000001'], grows: { foreign: FOREIGN } },
  handover: { args: ['handover', 'target', '--to', 'opencode', '--dry-run'], grows: { events: WHOLE } },
  title: { args: ['title', 'target', 'A new title'], grows: { events: CHECKED } },
  fork: { args: ['fork', 'target'], grows: { events: WHOLE } },
  copy: { args: ['copy', 'target', '--to', 'copies'], grows: { events: WHOLE } },
  revert: { args: ['revert', 'target'], grows: { events: WHOLE } },
  verify: { args: ['verify', 'target'], grows: { events: WHOLE } },
  seal: { args: ['seal', 'target', '--key', 'key.pem'], grows: { events: WHOLE } },
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

  it('has a row in the table for every command', async () => {
    const { commands } = await createProgram(async () => {});
    const names = commands.map((command) => command.name()).filter((name) => name !== 'models');
    expect(names.filter((name) => COMMANDS[name] === undefined)).toEqual([]);
  });

  it("grows only with the kinds of data that the command's row names", async () => {
    refused.length = 0;
    const little = await allCounts('little', LITTLE);
    const found: string[] = [];
    for (const kind of KINDS) {
      const much = await allCounts(kind, { ...LITTLE, [kind]: MANY });
      found.push(...overBound((name) => (COMMANDS[name] as Row).grows ?? {}, { little, much, kind, many: MANY }));
    }
    expect(found).toEqual([]);
    expect(refused).toEqual([]);
  });

  async function allCounts(name: string, sizes: Sizes): Promise<Record<string, Counts>> {
    const home = mkdtempSync(join(top, `${name}-`));
    await fillHome(home, sizes);
    using _ = anHourLater();
    writeFileSync(join(home, 'project', 'key.pem'), KEY);
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
