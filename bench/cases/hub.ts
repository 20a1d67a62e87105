// The first sync of sessions of another program compared with the least that could index them: reading, JSON.parse, and
// inserts into the same tables. Both by processor time, because other programs run too. Then the cost of a sync where
// little has changed.
import { appendFileSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { claudePath, claudeTalk, writeClaude } from '../../__tests__/support/claude-session.ts';
import { countsOf } from '../../__tests__/support/counted-work.ts';
import { seededRandom } from '../../__tests__/support/generated-session.ts';
import { writeManySessions } from '../../__tests__/support/many-sessions.ts';
import type { App } from '../../lib/app/app.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import type { Bench, Case } from '../case.ts';
import { appIn, messageWriter } from '../catalogue.ts';
import { parsedLines } from '../floors.ts';
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

async function* firstSyncs({ size, home: newHome }: Bench): AsyncGenerator<Contest> {
  const home = newHome('sync');
  const bytes = size(200e6, 1e5);
  const paths = Array.from({ length: SESSIONS }, (_, number) => claudePath(home, number));
  let total = 0;
  for (const [number, path] of paths.entries()) {
    const { word } = wordSource(WORDS, seededRandom(number + 1));
    const talk = claudeTalk((text) => text.replace(/[a-z]{2,}/g, word));
    total += writeClaude(path, talk, { bytes: bytes / SESSIONS });
  }
  const name = `first sync of ${Math.round(bytes / 1e6)} MB of another program`;
  yield { what: `peak memory of the ${name}`, unit: 'MB', ollm: peakOf(home, ['sync']), limit: 300 };
  const rate = (work: (app: App) => Promise<unknown>) => {
    const inApp = async () => {
      for (const file of globSync(join(home, 'catalog-*'))) rmSync(file);
      const app = await appIn(home);
      await work(app);
      await app.close();
    };
    return perSecond(total / 1e6, inApp, processorMilliseconds);
  };
  const ollm = rate(async (app) => {
    const outcome = await syncSessions(app);
    if (outcome.kind !== 'done' || outcome.report.read !== SESSIONS) throw new Error(JSON.stringify(outcome));
  });
  const against = [['only read, JSON.parse and inserts', rate((app) => insertOnly(app, paths)), 0.6]] as const;
  yield { what: name, unit: 'MB/s', ollm, against, rounds: 3 };
}

/** Syncs of many sessions, of which none or one has grown. */
async function* laterSyncs({ size, home: newHome }: Bench): AsyncGenerator<Contest> {
  const home = newHome('many');
  const count = size(10_000, 20);
  await writeManySessions(home, home, { count, ownEvery: count, newestMs: Date.now() - 3_600_000 });
  const long = claudePath(home, 0);
  const bytes = writeClaude(long, claudeTalk(), { bytes: size(10e6, 1e4) });
  const [line] = readFileSync(long, 'utf8').split('\n', 1);
  const sync = () => runProgram(home, 'sync');
  sync();
  const nothingNew = `ollm sync, ${count.toLocaleString('en')} sessions of another program, nothing new`;
  yield { what: nothingNew, ollm: sync, against: [emptyNode(4)] };
  const read = async () => {
    appendFileSync(long, `${line}\n`);
    const app = await appIn(home);
    const { readBytes } = await countsOf(() => syncSessions(app));
    await app.close();
    return readBytes / 1000;
  };
  const what = `bytes of ${(bytes / 1e6).toPrecision(2)} MB read for an appended line`;
  yield { what, unit: 'kB', ollm: read, limit: READ_KB, rounds: 1 };
}

interface TalkRecord {
  readonly type: string;
  readonly timestamp: string;
  readonly message: { readonly content: unknown };
}

/** Inserts each message into the same tables, as the JSON of its content, cut as outputs are. */
function insertOnly({ catalog }: App, paths: readonly string[]): Promise<unknown> {
  return catalog.edit(async (edit) => {
    const add = messageWriter(edit);
    let id = 0;
    for (const [session, path] of paths.entries()) {
      for (const record of parsedLines(path)) {
        const { type, timestamp, message } = record as TalkRecord;
        const text = JSON.stringify(message.content).slice(0, 8192);
        const row = { id: ++id, session, seq: id, role: 'user', at: Date.parse(timestamp), kind: type, tool: null };
        await add({ ...row, size: text.length, text }, text);
      }
    }
    await edit.flush();
  });
}
