// Appending: at level `process` compared with JSON.stringify and one write; at level `disk` compared with a loop of
// write and fdatasync, on this disk and on one that takes 5 ms more; and one event at a time alongside others that keep
// a log.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { type FileSystem, nodeFileSystem } from '../../lib/platform/index.ts';
import type { Case } from '../case.ts';
import { generatedEvents } from '../generated-session.ts';
import { milliseconds, type Timed } from '../measure.ts';
import { loadPeer } from '../peers.ts';
import { batches, fileSystemWith, newJournal, newSession } from '../sessions.ts';

const SLOW_MS = 5;
const CALLERS = 64;

export const run: Case = async function* ({ size, directory }) {
  const unit = 'events/s';
  const events = [...generatedEvents(size(50_000, 500))];
  const singly = (count: number) => [...batches(events.slice(0, count), 1)];
  const rate = (all: Batches, openLog: OpenLog) => logging(directory, all, openLog);

  const plain = { name: 'JSON.stringify and one write' };
  for (const [what, all, atLeast] of [
    ['batches of 100', [...batches(events, 100)], 0.7],
    ['one at a time', singly(events.length), 0.6],
  ] as const) {
    const against = [{ ...plain, atLeast, run: rate(all, plainFile) }];
    yield { what: `append, process, ${what}`, unit, subject: rate(all, journal('process')), against };
  }

  // An equal disk with a timer after each sync.
  const slow = fileSystemWith(async (sync) => {
    await sync();
    await sleep(SLOW_MS);
  });
  const few = singly(size(400, 20));
  const fewer = few.slice(0, size(60, 5));
  const synced = { name: 'write and fdatasync, one at a time' };
  const late = rate(fewer, syncedFile(SLOW_MS));
  const ofDisk = rate(few, journal('disk'));
  yield {
    what: 'append, disk, one at a time, this disk',
    unit,
    subject: ofDisk,
    against: [{ ...synced, atLeast: 0.5, run: rate(few, syncedFile(0)) }],
  };
  yield {
    what: `append, disk, one at a time, ${SLOW_MS} ms more`,
    unit,
    subject: rate(fewer, journal('disk', slow)),
    against: [{ ...synced, atLeast: 0.95, run: late }],
  };
  yield {
    what: `append, disk, ${CALLERS} callers, ${SLOW_MS} ms more`,
    unit,
    subject: manyCallers(directory, events.slice(0, fewer.length * CALLERS), slow),
    against: [{ ...synced, atLeast: 20, run: late }],
  };

  const pino = (await loadPeer<{ default: Pino }>('pino'))?.default;
  const Hypercore = (await loadPeer<{ default: HypercoreClass }>('hypercore'))?.default;
  const some = singly(size(5_000, 100));
  yield {
    what: 'one at a time, survives the process',
    unit,
    subject: rate(some, journal('process')),
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
    against: [{ name: 'the same by its writer', run: rate(some, journal('process')) }],
  };
  const full = { name: 'node:sqlite, WAL, synchronous full (blocks the process)', atLeast: 0.6 };
  yield {
    what: 'one at a time, survives the machine',
    unit,
    subject: ofDisk,
    against: [{ ...full, run: rate(few, sqlite('FULL')) }],
  };
};

type Batches = readonly (readonly NewOllmEvent[])[];

interface Log {
  append(batch: readonly NewOllmEvent[], firstSeq: number): unknown;
  close(): unknown;
}

type OpenLog = (own: string) => Promise<Log> | Log;

/** Events a second, each batch acknowledged before the next one. Opening and closing are not counted. */
function logging(directory: string, all: Batches, openLog: OpenLog): Timed {
  return inOwnDirectory(directory, async (own) => {
    const log = await openLog(own);
    let seq = 0;
    const ms = await milliseconds(async () => {
      for (const batch of all) {
        await log.append(batch, seq);
        seq += batch.length;
      }
    });
    await log.close();
    return seq / (ms / 1000);
  });
}

function manyCallers(directory: string, events: readonly NewOllmEvent[], fileSystem: FileSystem): Timed {
  return inOwnDirectory(directory, async (own) => {
    const writer = await newJournal(own, { fileSystem });
    const caller = async (_: unknown, first: number) => {
      for (let index = first; index < events.length; index += CALLERS) {
        await writer.append(events[index]!, { durability: 'disk' });
      }
    };
    const ms = await milliseconds(() => Promise.all(Array.from({ length: CALLERS }, caller)));
    await writer.close();
    return events.length / (ms / 1000);
  });
}

/**
 * What a run leaves to be written later would be paid for by the next one: its files go, and the device is waited for.
 */
function inOwnDirectory(directory: string, work: (own: string) => Promise<number>): Timed {
  return async () => {
    const own = mkdtempSync(join(directory, 'run-'));
    try {
      return await work(own);
    } finally {
      rmSync(own, { recursive: true, force: true });
      await nodeFileSystem.syncDirectory(directory);
    }
  };
}

function journal(durability: 'process' | 'disk', fileSystem?: FileSystem): OpenLog {
  return async (own) => {
    const writer = await newJournal(own, fileSystem && { fileSystem });
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
    return {
      async append([event], seq) {
        writeSync(file, plainLine(event!, seq));
        fdatasyncSync(file);
        // A timer equal to the slow device's: timers are late.
        if (extraMs > 0) await sleep(extraMs);
      },
      close: () => closeSync(file),
    };
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
    return {
      append: ([event], seq) =>
        insert.run(seq, new Date().toISOString(), event!.type, event!.turn ?? null, JSON.stringify(event!.data)),
      close: () => database.close(),
    };
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
    return {
      append: ([event]) => logger.info({ type: event!.type, turn: event!.turn, data: event!.data }),
      close: () =>
        new Promise<void>((resolve) => {
          destination.on('close', resolve);
          destination.end();
        }),
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
