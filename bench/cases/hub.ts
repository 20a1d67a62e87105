// The first sync of sessions of another program compared with the least that could index them: reading, JSON.parse, and
// inserts into the same tables. Both by processor time, because other programs run too. Then the cost of a sync where
// little has changed.
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countingFileSystem } from '../../__tests__/support/counting-file-system.ts';
import { seededRandom } from '../../__tests__/support/generated-session.ts';
import { CATALOG_NAME } from '../../lib/catalog/schema.ts';
import { createRedactor } from '../../lib/environment/redact.ts';
import { sessionKeepers } from '../../lib/hub/session-keepers.ts';
import { syncCatalog } from '../../lib/hub/sync.ts';
import { type FileSystem, nodeFileSystem, systemClock } from '../../lib/platform/index.ts';
import type { Bench, Case } from '../case.ts';
import { catalogOf, writeCatalogue } from '../catalogue.ts';
import { claudePath, claudeTalk, writeClaude } from '../claude-files.ts';
import { eachParsed } from '../floors.ts';
import { type Contest, perSecond, processorMilliseconds } from '../measure.ts';
import { emptyNode, peakOf, runProgram } from '../program.ts';
import { wordSource } from '../words.ts';

const WORDS = 200_000;
const SESSIONS = 20;
/** For a session that grew: both ends of it, and the new part. */
const READ_KB = 300;

export const run: Case = async function* (bench) {
  yield* firstSyncs(bench);
  yield* laterSyncs(bench);
};

function* firstSyncs({ size, directory, progress }: Bench): Generator<Contest> {
  const home = join(directory, 'sync');
  const bytes = size(200e6, 1e5);
  progress(`writing ${bytes / 1e6} MB`);
  const paths = Array.from({ length: SESSIONS }, (_, number) => claudePath(home, number));
  let total = 0;
  for (const [number, path] of paths.entries()) {
    const { word } = wordSource(WORDS, seededRandom(number + 1));
    const talk = claudeTalk((text) => text.replace(/[a-z]{2,}/g, word));
    total += writeClaude(path, talk, { bytes: bytes / SESSIONS });
  }
  const rate = (work: () => unknown) => perSecond(total / 1e6, work, processorMilliseconds);
  const subject = rate(async () => {
    removeCatalogue(join(home, '.ollm'));
    const read = await syncTalks(home);
    if (read !== paths.length) throw new Error(`${read} sessions were read`);
  });
  const floor = {
    name: 'only read, JSON.parse and inserts',
    run: rate(() => insertAlone(join(directory, 'alone'), paths)),
  };
  const what = `first sync of ${Math.round(bytes / 1e6)} MB of another program`;
  yield { what, unit: 'MB/s', subject, against: [{ ...floor, atLeast: 0.6 }], rounds: 3 };
  const peak = () => {
    removeCatalogue(home);
    return peakOf(home, ['sync']);
  };
  yield { what: 'peak memory of that', unit: 'MB', subject: peak, limit: 300, rounds: 1 };
}

/** Syncs after appends to one session, which is long. */
async function* laterSyncs({ size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const home = join(directory, 'many');
  const count = size(10_000, 20);
  const sessions = `${count.toLocaleString('en')} sessions of another program`;
  progress(`writing ${sessions}`);
  for (let number = 1; number < count; number += 1) writeClaude(claudePath(home, number), claudeTalk(), { bytes: 1 });
  const long = claudePath(home, 0);
  const bytes = writeClaude(long, claudeTalk(), { bytes: size(10e6, 1e4) });
  const [line] = readFileSync(long, 'utf8').split('\n', 1);
  const append = () => appendFileSync(long, `${line}\n`);
  const sync = () => runProgram(home, 'sync');
  const against = [{ name: 'node -e 0', atMost: 4, run: emptyNode }];
  sync();
  yield { what: `ollm sync, ${sessions}, nothing new`, subject: sync, against };
  const appended = () => {
    append();
    return sync();
  };
  yield { what: 'that, after one appended line', subject: appended, against };
  await syncTalks(home);
  const { fileSystem, during } = countingFileSystem(nodeFileSystem);
  const read = async () => {
    append();
    return (await during(() => syncTalks(home, fileSystem))).readBytes / 1000;
  };
  const what = `bytes of ${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB read for an appended line`;
  yield { what, unit: 'kB', subject: read, limit: READ_KB, rounds: 1 };
}

/** The sessions of another program in this home, into a catalogue in `.ollm` there. Returns how many were read. */
async function syncTalks(home: string, fileSystem: FileSystem = nodeFileSystem): Promise<number> {
  const redactor = createRedactor();
  const own = join(home, '.ollm');
  mkdirSync(own, { mode: 0o700, recursive: true });
  const keepers = await Array.fromAsync(
    sessionKeepers({
      surroundings: { env: {}, home, platform: process.platform },
      files: { fileSystem, uid: undefined },
    }),
  );
  const outcome = await syncCatalog({
    catalog: catalogOf(own),
    places: keepers.flatMap(({ places }) => places),
    home: own,
    fileSystem: nodeFileSystem,
    clock: systemClock,
    outputs: true,
    storesText: true,
    isThorough: true,
    clean: (text) => redactor.redact(text).text,
    erase: async () => true,
  });
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.report.read;
}

function removeCatalogue(home: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(home, CATALOG_NAME + end), { force: true });
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

/** Inserts into equal tables, with text of the same lengths, without checks, folds, redaction and preparation. */
function insertAlone(home: string, paths: readonly string[]): void {
  removeCatalogue(home);
  writeCatalogue(home, (_database, add) => {
    let id = 0;
    for (const [session, path] of paths.entries()) {
      eachParsed(path, (record) => {
        const { type, timestamp, message } = record as TalkRecord;
        const { content } = message;
        const text = typeof content === 'string' ? content : content.map(plainText).join('\n');
        id += 1;
        const row = { id, session, seq: id, role: 'user', at: Date.parse(timestamp), kind: type, size: text.length };
        if (text !== '') add({ ...row, text, words: text });
      });
    }
  });
}

function plainText(block: TalkBlock): string {
  if (block.type === 'text') return block.text;
  const text = block.type === 'tool_use' ? `${block.name}\n${JSON.stringify(block.input)}` : block.content;
  return text.length <= 8192 ? text : text.slice(0, 4096) + text.slice(-4096);
}
