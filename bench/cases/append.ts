// Appending: at level `process` compared with JSON.stringify and one write, at level `disk` with a loop of write and
// fdatasync, on this disk and on one that takes 5 ms more; and one at a time with SQLite.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { batches, fileSystemWith, newJournal, newSession } from '../../__tests__/support/generated-journals.ts';
import { generatedEvents } from '../../__tests__/support/generated-session.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { type FileSystem, nodeFileSystem } from '../../lib/platform/index.ts';
import type { Case } from '../case.ts';
import { perSecond, type Timed } from '../measure.ts';

const SLOW_MS = 5;
const CALLERS = 64;

export const run: Case = async function* ({ size, directory }) {
  const unit = 'events/s';
  const events = [...generatedEvents(size(50_000, 500))];
  const hundreds = [...batches(events, 100)];
  const singly = [...batches(events, 1)];
  const few = singly.slice(0, size(400, 20));
  const fewer = singly.slice(0, size(60, 5));
  const byCallers = singly.slice(0, fewer.length * CALLERS);
  const rate = (all: Batches, openLog: OpenLog, callers?: number) => appending(directory, all, openLog, callers);
  const stringify = 'JSON.stringify and one write';
  const batched = rate(hundreds, journal('process'));
  const againstBatched = [[stringify, rate(hundreds, plainFile()), 0.7]] as const;
  yield { what: 'append, process, batches of 100', unit, ollm: batched, against: againstBatched };

  const single = rate(singly, journal('process'));
  const againstSingle = [
    [stringify, rate(singly, plainFile()), 0.6],
    ['node:sqlite, WAL, synchronous off', rate(singly, sqlite('OFF')), 1],
  ] as const;
  yield { what: 'append, process, one at a time', unit, ollm: single, against: againstSingle };
  const bySession = rate(singly, liveSession);
  yield { what: 'that by session.append', unit, ollm: bySession, against: [['the same by its writer', single]] };

  // An equal disk with a timer after each sync.
  const slow = fileSystemWith(async (sync) => {
    await sync();
    await sleep(SLOW_MS);
  });
  const [synced, late] = [rate(few, syncedFile(0)), rate(fewer, syncedFile(SLOW_MS))];
  const loop = 'write and fdatasync, one at a time';
  const full = ['node:sqlite, WAL, synchronous full (blocks the process)', rate(few, sqlite('FULL')), 0.6] as const;
  for (const [what, ollm, against] of [
    ['one at a time, this disk', rate(few, journal('disk')), [[loop, synced, 0.5], full]],
    [`one at a time, ${SLOW_MS} ms more`, rate(fewer, journal('disk', slow)), [[loop, late, 0.95]]],
    [`${CALLERS} callers, ${SLOW_MS} ms more`, rate(byCallers, journal('disk', slow), CALLERS), [[loop, late, 20]]],
  ] as const) {
    yield { what: `append, disk, ${what}`, unit, ollm, against };
  }
};

type Batches = readonly (readonly NewOllmEvent[])[];
type OpenLog = (own: string) => Promise<Log> | Log;
interface Log {
  append(batch: readonly NewOllmEvent[], firstSeq: number): unknown;
  close?(): unknown;
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
    await log.close?.();
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

/** What a journal line says, without checksum and chain. */
function plainLine({ type, turn, data }: NewOllmEvent, seq: number): string {
  return `${JSON.stringify({ seq, ts: new Date().toISOString(), type, turn, data })}\n`;
}

function plainFile(afterWrite: (file: number) => unknown = () => {}): OpenLog {
  return (own) => {
    const file = openSync(join(own, 'plain.jsonl'), 'a', 0o600);
    const append = (batch: readonly NewOllmEvent[], firstSeq: number) => {
      let text = '';
      for (let index = 0; index < batch.length; index++) text += plainLine(batch[index]!, firstSeq + index);
      writeSync(file, text);
      return afterWrite(file);
    };
    return { append, close: () => closeSync(file) };
  };
}

function syncedFile(extraMs: number): OpenLog {
  return plainFile(async (file) => {
    fdatasyncSync(file);
    // A timer equal to the slow device's: timers are late.
    if (extraMs > 0) await sleep(extraMs);
  });
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
