// Appending: at level `process` beside JSON.stringify and one write; at level `disk` beside a loop of write and
// fdatasync, on this disk and on one that takes 5 ms more; and one event at a time beside others that keep a log.
import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { type FileSystem, nodeFileSystem } from '../../lib/platform/index.ts';
import type { Case } from '../case.ts';
import { openLog, plainLine, writePlainAndSync, writePlainBatch } from '../floors.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure, milliseconds, type Timed } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';
import { batches, newJournal } from '../sessions.ts';

const SLOW_MS = 5;
const CALLERS = 64;

export const run: Case = async function* ({ size, directory, progress }) {
  const events = [...generatedEvents(size(50_000, 500))];

  for (const [count, goal] of [
    [100, 0.7],
    [1, 0.6],
  ] as const) {
    progress(`batches of ${count}`);
    const all = [...batches(events, count)];
    yield* await measure({
      what: count === 1 ? 'append, process, one at a time' : `append, process, batches of ${count}`,
      unit: 'events/s',
      subject: logging(directory, all, journal('process')),
      against: [
        { name: 'JSON.stringify and one write', goal: { atLeast: goal }, run: logging(directory, all, plainFile) },
      ],
    });
  }

  const slow = slowDevice(nodeFileSystem);
  const few = [...batches(events.slice(0, size(400, 20)), 1)];
  const fewer = few.slice(0, size(60, 5));
  const floor = { name: 'write and fdatasync, one at a time' };
  const fast = { ...floor, goal: { atLeast: 0.5 }, run: logging(directory, few, syncedFile(0)) };
  progress('level disk');
  yield* await measure({
    what: 'append, disk, one at a time, this disk',
    unit: 'events/s',
    subject: logging(directory, few, journal('disk')),
    against: [fast],
  });
  const late = logging(directory, fewer, syncedFile(SLOW_MS));
  yield* await measure({
    what: `append, disk, one at a time, ${SLOW_MS} ms more`,
    unit: 'events/s',
    subject: logging(directory, fewer, journal('disk', slow)),
    against: [{ ...floor, goal: { atLeast: 0.95 }, run: late }],
  });
  yield* await measure({
    what: `append, disk, ${CALLERS} callers, ${SLOW_MS} ms more`,
    unit: 'events/s',
    subject: manyCallers(directory, events.slice(0, fewer.length * CALLERS), slow),
    against: [{ ...floor, goal: { atLeast: 20 }, run: late }],
  });

  progress('peers');
  const pino = (await loadPeer<{ default: Pino }>('pino'))?.default;
  const Hypercore = (await loadPeer<{ default: HypercoreClass }>('hypercore'))?.default;
  for (const [name, peer] of Object.entries({ pino, hypercore: Hypercore })) if (!peer) yield missingPeer(name);
  const single = [...batches(events.slice(0, size(5_000, 100)), 1)];
  const goal = { atLeast: 1 };
  yield* await measure({
    what: 'one at a time, survives the process',
    unit: 'events/s',
    subject: logging(directory, single, journal('process')),
    against: [
      { name: 'appendFile on an open file', goal, run: logging(directory, single, openFile) },
      { name: 'node:sqlite, WAL, synchronous off', goal, run: logging(directory, single, sqlite('OFF')) },
      ...(pino ? [{ name: 'pino, synchronous', goal, run: logging(directory, single, pinoFile(pino)) }] : []),
      ...(Hypercore ? [{ name: 'hypercore', goal, run: logging(directory, single, hypercore(Hypercore)) }] : []),
    ],
  });
  yield* await measure({
    what: 'one at a time, survives the machine',
    unit: 'events/s',
    subject: logging(directory, few, journal('disk')),
    against: [
      {
        name: 'node:sqlite, WAL, synchronous full (blocks the process)',
        goal: { atLeast: 0.6 },
        run: logging(directory, few, sqlite('FULL')),
      },
    ],
  });
};

interface Log {
  append(batch: readonly NewOllmEvent[], firstSeq: number): unknown;
  close(): unknown;
}

type OpenLog = (own: string) => Promise<Log> | Log;

/** Events a second, each batch acknowledged before the next one. Opening and closing are not counted. */
function logging(directory: string, all: readonly (readonly NewOllmEvent[])[], openLog: OpenLog): Timed {
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

function plainFile(own: string): Log {
  const log = openLog(join(own, 'plain.jsonl'));
  return { append: (batch, seq) => writePlainBatch(log, batch, seq), close: () => closeSync(log) };
}

function syncedFile(extraMs: number): OpenLog {
  return (own) => {
    const log = openLog(join(own, 'synced.jsonl'));
    return {
      async append(batch, seq) {
        writePlainAndSync(log, batch[0]!, seq);
        // The same timer as the slow device's: timers are late.
        if (extraMs > 0) await sleep(extraMs);
      },
      close: () => closeSync(log),
    };
  };
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

/** The same disk with a timer behind each sync. */
function slowDevice(fileSystem: FileSystem): FileSystem {
  return {
    ...fileSystem,
    open(path, mode, permissions) {
      const handle = fileSystem.open(path, mode, permissions);
      const dataSync = handle.dataSync.bind(handle);
      return Object.assign(handle, {
        dataSync: async () => {
          await dataSync();
          await sleep(SLOW_MS);
        },
      });
    },
  };
}
