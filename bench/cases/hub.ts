// The first sync of sessions of another program compared with the least that could index them: reading, JSON.parse, and
// inserts into the same tables. Both by processor time, because other programs run too. Then the cost of a sync where
// little has changed.
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Catalog, openCatalog } from '../../lib/catalog/catalog.ts';
import { CATALOG_NAME, SCHEMA } from '../../lib/catalog/schema.ts';
import { createRedactor } from '../../lib/environment/redact.ts';
import { foreignSessions } from '../../lib/hub/foreign-sessions.ts';
import { type SyncReport, syncCatalog } from '../../lib/hub/sync.ts';
import { type FileSystem, nodeFileSystem, silentLog, systemClock, thisProcess } from '../../lib/platform/index.ts';
import type { Bench, Case } from '../case.ts';
import { eachLine } from '../floors.ts';
import { talkPath, writeTalk } from '../foreign-talk.ts';
import { seededRandom } from '../generated-session.ts';
import { type Contest, processorMilliseconds } from '../measure.ts';
import { emptyNode, type Program, programIn } from '../program.ts';

/** Words of the generated messages, the first ones the most common. */
const WORDS = 200_000;
const ROWS_AT_ONCE = 1_000;
const SESSIONS = 20;
/** For a session that grew: both ends of it, and the new part. */
const READ_KB = 300;

const besideNode = { name: 'node -e 0', atMost: 4, run: emptyNode };

export const run: Case = async function* (bench) {
  const program = programIn(bench.directory);
  yield* firstSyncs(program, bench);
  yield* laterSyncs(program, bench);
};

async function* firstSyncs(program: Program, { size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const home = join(directory, 'sync');
  const bytes = size(200e6, 1e5);
  progress(`writing ${bytes / 1e6} MB`);
  const paths: string[] = [];
  let total = 0;
  for (let number = 0; number < SESSIONS; number += 1) {
    const random = seededRandom(number + 1);
    const textOf = (text: string) => text.replace(/[a-z]{2,}/g, () => wordOf(Math.floor(WORDS ** random())));
    const path = talkPath(home, number);
    // With a few words, an index costs next to nothing.
    total += writeTalk(path, bytes / SESSIONS, textOf);
    paths.push(path);
  }
  mkdirSync(join(home, '.ollm'), { mode: 0o700 });
  const rate = (work: () => unknown) => async () => total / 1e3 / (await processorMilliseconds(work));
  const subject = rate(async () => {
    rmSync(join(home, '.ollm', CATALOG_NAME), { force: true });
    const { read } = await syncTalks(home);
    if (read !== paths.length) throw new Error(`${read} sessions were read`);
  });
  yield {
    what: `first sync of ${Math.round(bytes / 1e6)} MB of another program`,
    unit: 'MB/s',
    subject,
    against: [
      { name: 'only read, JSON.parse and inserts', atLeast: 0.6, run: rate(() => insertAlone(directory, paths)) },
    ],
    rounds: 3,
  };
  const peak = () => {
    rmSync(join(home, CATALOG_NAME), { force: true });
    return program.peak(home, 'sync');
  };
  yield { what: 'peak memory of that', unit: 'MB', subject: peak, limit: 300, rounds: 1 };
}

/** Syncs after appends to one session, which is long. */
async function* laterSyncs(program: Program, { size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const home = join(directory, 'many');
  const count = size(10_000, 20);
  const sessions = `${count.toLocaleString('en')} sessions of another program`;
  progress(`writing ${sessions}`);
  for (let number = 1; number < count; number += 1) writeTalk(talkPath(home, number), 1);
  const long = talkPath(home, 0);
  writeTalk(long, size(10e6, 1e4));
  const line = readFileSync(long).subarray(0, readFileSync(long).indexOf('\n') + 1);
  program.run(home, 'sync');
  const sync = () => program.run(home, 'sync');
  yield { what: `ollm sync, ${sessions}, nothing new`, subject: sync, against: [besideNode] };
  const appended = () => {
    appendFileSync(long, line);
    return sync();
  };
  yield { what: 'that, after one appended line', subject: appended, against: [besideNode] };
  mkdirSync(join(home, '.ollm'), { mode: 0o700 });
  await syncTalks(home);
  const read = async () => {
    appendFileSync(long, line);
    const counted = { bytes: 0 };
    await syncTalks(home, counting(nodeFileSystem, counted));
    return counted.bytes / 1000;
  };
  const what = `bytes of ${(size(10e6, 1e4) / 1e6).toLocaleString('en')} MB read for an appended line`;
  yield { what, unit: 'kB', subject: read, limit: READ_KB, rounds: 1 };
}

/** The sessions of another program in this home, into a catalogue in `.ollm` there. */
async function syncTalks(home: string, fileSystem: FileSystem = nodeFileSystem): Promise<SyncReport> {
  const redactor = createRedactor();
  const own = join(home, '.ollm');
  const outcome = await syncCatalog({
    catalog: catalogOf(own),
    places: await foreignSessions({
      surroundings: { env: {}, home, platform: process.platform },
      files: { fileSystem, uid: undefined },
    }),
    home: own,
    fileSystem: nodeFileSystem,
    clock: systemClock,
    outputs: true,
    storesText: true,
    clean: (text) => redactor.redact(text).text,
    erase: async () => true,
  });
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.report;
}

function counting(fileSystem: FileSystem, counted: { bytes: number }): FileSystem {
  return {
    ...fileSystem,
    open(...given) {
      const handle = fileSystem.open(...given);
      const read: typeof handle.read = (target, position) => {
        const came = handle.read(target, position);
        counted.bytes += came;
        return came;
      };
      return Object.assign(Object.create(handle) as typeof handle, {
        read,
        stat: () => handle.stat(),
        close: () => handle.close(),
      });
    },
  };
}

function catalogOf(home: string): Catalog {
  return openCatalog({ home, fileSystem: nodeFileSystem, process: thisProcess('ollm bench'), log: silentLog });
}

/** Inserts into equal tables, with text of the same lengths, without checks, folds, redaction and preparation. */
function insertAlone(directory: string, paths: readonly string[]): void {
  const path = join(directory, 'alone.sqlite');
  for (const each of [path, `${path}-wal`, `${path}-shm`]) rmSync(each, { force: true });
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${SCHEMA}`);
  const { add, end } = inserter(database);
  let seq = 0;
  for (const [session, path] of paths.entries()) {
    eachLine(path, (block, start, stop) => {
      const { type, timestamp, message } = JSON.parse(block.toString('utf8', start, stop)) as TalkRecord;
      const text = plainText(message.content);
      seq += 1;
      if (text !== '') add({ session, seq, at: Date.parse(timestamp), kind: type, text });
    });
  }
  end();
  database.close();
}

interface TalkRecord {
  readonly type: string;
  readonly timestamp: string;
  readonly message: { readonly content: string | readonly TalkBlock[] };
}

type TalkBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: object }
  | { readonly type: 'tool_result'; readonly content: string };

function plainText(content: string | readonly TalkBlock[]): string {
  if (typeof content === 'string') return content;
  const ends = (text: string) => (text.length <= 8192 ? text : text.slice(0, 4096) + text.slice(-4096));
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text;
    return ends(block.type === 'tool_use' ? `${block.name}\n${JSON.stringify(block.input)}` : block.content);
  });
  return texts.join('\n');
}

interface PlainRow {
  readonly session: number;
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly text: string;
}

function inserter(database: DatabaseSync): { add(row: PlainRow): void; end(): void } {
  const insert = database.prepare(
    'INSERT INTO messages (id, session, seq, role, at, kind, size, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const index = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  let rows = 0;
  database.exec('BEGIN');
  return {
    add({ session, seq, at, kind, text }) {
      rows += 1;
      insert.run(rows, session, seq, 'user', at, kind, text.length, text);
      index.run(rows, text);
      if (rows % ROWS_AT_ONCE === 0) database.exec('COMMIT; BEGIN');
    },
    end: () => database.exec('COMMIT'),
  };
}

/** Words of the same rank are the same in each run, and look like words: none is the beginning of another. */
function wordOf(rank: number): string {
  return `${(rank + 1).toString(36)}q`;
}
