// Appending: at level `process` compared with JSON.stringify and one write; at level `disk` compared with a loop of
// write and fdatasync, on this disk and on one that takes 5 ms more; and one event at a time alongside others that keep
// a log.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { batches, fileSystemWith, newJournal, newSession } from '../../__tests__/support/generated-journals.ts';
import { generatedEvents } from '../../__tests__/support/generated-session.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { type FileSystem, nodeFileSystem } from '../../lib/platform/index.ts';
import type { Case } from '../case.ts';
import { loadPeer, perSecond, type Timed } from '../measure.ts';

const SLOW_MS = 5;
const CALLERS = 64;

export const run: Case = async function* ({ size, directory }) {
  const unit = 'events/s';
  const events = [...generatedEvents(size(50_000, 500))];
  const hundreds = [...batches(events, 100)];
  const singly = [...batches(events, 1)];
  const some = singly.slice(0, size(5_000, 100));
  const few = singly.slice(0, size(400, 20));
  const fewer = few.slice(0, size(60, 5));
  const rate = (all: Batches, openLog: OpenLog, callers?: number) => appending(directory, all, openLog, callers);
  for (const [what, all, atLeast] of [
    ['append, process, batches of 100', hundreds, 0.7],
    ['append, process, one at a time', singly, 0.6],
  ] as const) {
    const plain = { name: 'JSON.stringify and one write', atLeast, run: rate(all, plainFile) };
    yield { what, unit, subject: rate(all, journal('process')), against: [plain] };
  }

  // An equal disk with a timer after each sync.
  const slow = fileSystemWith(async (sync) => {
    await sync();
    await sleep(SLOW_MS);
  });
  const ofDisk = rate(few, journal('disk'));
  const late = rate(fewer, syncedFile(SLOW_MS));
  const byMany = rate(singly.slice(0, fewer.length * CALLERS), journal('disk', slow), CALLERS);
  for (const [what, subject, atLeast, run] of [
    ['append, disk, one at a time, this disk', ofDisk, 0.5, rate(few, syncedFile(0))],
    [`append, disk, one at a time, ${SLOW_MS} ms more`, rate(fewer, journal('disk', slow)), 0.95, late],
    [`append, disk, ${CALLERS} callers, ${SLOW_MS} ms more`, byMany, 20, late],
  ] as const) {
    yield { what, unit, subject, against: [{ name: 'write and fdatasync, one at a time', atLeast, run }] };
  }

  const pino = (await loadPeer<{ default: Pino }>('pino'))?.default;
  const Hypercore = (await loadPeer<{ default: HypercoreClass }>('hypercore'))?.default;
  const singleAppends = rate(some, journal('process'));
  yield {
    what: 'one at a time, survives the process',
    unit,
    subject: singleAppends,
    against: [
      { name: 'appendFile on an open file', atLeast: 1, run: rate(some, openFile) },
      { name: 'node:sqlite, WAL, synchronous off', atLeast: 1, run: rate(some, sqlite('OFF')) },
      { name: 'pino, synchronous', atLeast: 1, run: pino && rate(some, pinoFile(pino)) },
      { name: 'hypercore', atLeast: 1, run: Hypercore && rate(some, hypercore(Hypercore)) },
    ],
  };
  yield {
    what: 'one at a time by session.append, survives the process',
    unit,
    subject: rate(some, liveSession),
    against: [{ name: 'the same by its writer', run: singleAppends }],
  };
  const full = { name: 'node:sqlite, WAL, synchronous full (blocks the process)', atLeast: 0.6 };
  const against = [{ ...full, run: rate(few, sqlite('FULL')) }];
  yield { what: 'one at a time, survives the machine', unit, subject: ofDisk, against };
};

type Batches = readonly (readonly NewOllmEvent[])[];
type OpenLog = (own: string) => Promise<Log> | Log;
interface Log {
  append(batch: readonly NewOllmEvent[], firstSeq: number): unknown;
  close(): unknown;
}

/** Events a second; each caller has a batch acknowledged before its next one. Opening and closing are not counted. */
function appending(directory: string, all: Batches, openLog: OpenLog, callers = 1): Timed {
  return async () => {
    const own = mkdtempSync(join(directory, 'run-'));
    const log = await openLog(own);
    const rest = all.values();
    let seq = 0;
    const caller = async () => {
      for (const batch of rest) {
        seq += batch.length;
        await log.append(batch, seq - batch.length);
      }
    };
    const rate = await perSecond(all.flat().length, () => Promise.all(Array.from({ length: callers }, caller)))();
    await log.close();
    // What a run leaves to be written later would be paid for by the next one: the device is waited for.
    rmSync(own, { recursive: true, force: true });
    await nodeFileSystem.syncDirectory(directory);
    return rate;
  };
}

function journal(durability: 'process' | 'disk', fileSystem?: FileSystem): OpenLog {
  return async (own) => {
    const writer = await newJournal(own, fileSystem);
    return { append: (batch) => writer.append(batch, { durability }), close: () => writer.close() };
  };
}

/** Checks each event, and moves the states on. */
async function liveSession(own: string): Promise<Log> {
  const session = await newSession(own, 'live');
  return { append: (batch) => session.append(batch), close: () => session.close('exit') };
}

function plainFile(own: string): Log {
  const file = openSync(join(own, 'plain.jsonl'), 'a', 0o600);
  const append = (batch: readonly NewOllmEvent[], firstSeq: number) => {
    let text = '';
    for (let index = 0; index < batch.length; index++) text += plainLine(batch[index]!, firstSeq + index);
    writeSync(file, text);
  };
  return { append, close: () => closeSync(file) };
}

function syncedFile(extraMs: number): OpenLog {
  return (own) => {
    const file = openSync(join(own, 'synced.jsonl'), 'a', 0o600);
    const append = async ([event]: readonly NewOllmEvent[], seq: number) => {
      writeSync(file, plainLine(event!, seq));
      fdatasyncSync(file);
      // A timer equal to the slow device's: timers are late.
      if (extraMs > 0) await sleep(extraMs);
    };
    return { append, close: () => closeSync(file) };
  };
}

/** JSON.stringify of what a journal line says, without checksum and chain. */
function plainLine({ type, turn, data }: NewOllmEvent, seq: number): string {
  return `${JSON.stringify({ seq, ts: new Date().toISOString(), type, turn, data })}\n`;
}

async function openFile(own: string): Promise<Log> {
  const file = await open(join(own, 'events.jsonl'), 'a');
  return { append: ([event], seq) => file.appendFile(plainLine(event!, seq)), close: () => file.close() };
}

function sqlite(synchronous: 'OFF' | 'FULL'): OpenLog {
  return (own) => {
    const database = new DatabaseSync(join(own, 'events.sqlite'));
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
      CREATE TABLE events (seq INTEGER PRIMARY KEY, ts TEXT, type TEXT, turn INTEGER, data TEXT)`);
    const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
    const append = ([event]: readonly NewOllmEvent[], seq: number) => {
      const { type, turn = null, data } = event!;
      insert.run(seq, new Date().toISOString(), type, turn, JSON.stringify(data));
    };
    return { append, close: () => database.close() };
  };
}

interface Pino {
  (options: object, destination: object): { info(fields: object): void };
  destination(options: object): { end(): void; on(event: string, listener: () => void): void };
}

function pinoFile(create: Pino): OpenLog {
  return (own) => {
    const destination = create.destination({ dest: join(own, 'events.log'), sync: true, minLength: 0 });
    const logger = create({ base: null }, destination);
    const closed = new Promise<void>((resolve) => destination.on('close', resolve));
    return {
      append: ([event]) => logger.info({ type: event!.type, turn: event!.turn, data: event!.data }),
      close() {
        destination.end();
        return closed;
      },
    };
  };
}

type HypercoreClass = new (
  path: string,
) => { ready(): Promise<void>; append(block: Buffer): Promise<unknown>; close(): Promise<void> };

function hypercore(Hypercore: HypercoreClass): OpenLog {
  return async (own) => {
    const core = new Hypercore(join(own, 'events.hypercore'));
    await core.ready();
    return { append: ([event], seq) => core.append(Buffer.from(plainLine(event!, seq))), close: () => core.close() };
  };
}
