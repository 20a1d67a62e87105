// One event at a time, acknowledged one by one, against what else keeps a log, in two leagues: those whose promise ends
// with the process, and those that wait for the device. What a peer promises beside that stands with its name: a journal has
// a checksum in each line and a chain from line to line, and writes to no file that somebody moved or changed. Each run takes its
// files away: what it left to be written to the disk later would be paid for by whoever waits for the disk next.
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Case } from '../bench.ts';
import { plainLine } from '../floors.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure, type Reference, seconds } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';
import { heldJournal, newJournal } from '../sessions.ts';

interface Hypercore {
  ready(): Promise<void>;
  append(block: Buffer): Promise<unknown>;
  close(): Promise<void>;
}

interface Pino {
  (options: object, destination: object): { info(fields: object): void };
  destination(options: object): { end(): void; on(event: string, listener: () => void): void };
}

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const pino = (await loadPeer<{ default: Pino }>('pino'))?.default;
  const Hypercore = (await loadPeer<{ default: new (path: string) => Hypercore }>('hypercore'))?.default;
  if (!pino) yield missingPeer('one event at a time against pino', 'pino');
  if (!Hypercore) yield missingPeer('one event at a time against hypercore', 'hypercore');

  const events = [...generatedEvents(quick ? 5_000 : 10_000, { seed })];
  const faster = { atLeast: 1 };
  const rate = async (count: number, work: () => Promise<void> | void) => count / (await seconds(work));
  const inOwnDirectory = (run: (own: string) => Promise<number>) => async () => {
    const own = mkdtempSync(join(directory, 'run-'));
    try {
      return await run(own);
    } finally {
      rmSync(own, { recursive: true });
    }
  };

  const sqlite = (name: string, synchronous: 'NORMAL' | 'FULL', count: number): Reference => ({
    name,
    goal: faster,
    run: inOwnDirectory(async (own) => {
      const database = new DatabaseSync(join(own, 'events.sqlite'));
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
        CREATE TABLE events (seq INTEGER PRIMARY KEY, ts TEXT, type TEXT, turn INTEGER, data TEXT)`);
      const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
      const result = await rate(count, () => {
        for (let seq = 0; seq < count; seq++) {
          const { type, turn, data } = events[seq]!;
          insert.run(seq, new Date().toISOString(), type, turn ?? null, JSON.stringify(data));
        }
      });
      database.close();
      return result;
    }),
  });

  const held = await heldJournal(directory);
  progress('level process');
  yield* await measure(
    {
      what: 'one at a time, survives the process',
      unit: 'events/s',
      subject: inOwnDirectory(async (own) => {
        const writer = await newJournal(own);
        const result = await rate(events.length, async () => {
          for (const event of events) await writer.append(event);
        });
        await writer.close();
        return result;
      }),
      against: [
        {
          name: 'fs.promises.appendFile on an open file (promises the line alone)',
          goal: faster,
          run: inOwnDirectory(async (own) => {
            const file = await open(join(own, 'events.jsonl'), 'a');
            const result = await rate(events.length, async () => {
              for (let seq = 0; seq < events.length; seq++) await file.appendFile(plainLine(events[seq]!, seq));
            });
            await file.close();
            return result;
          }),
        },
        {
          name: 'fs.promises.appendFile by path (promises the line alone)',
          goal: faster,
          run: inOwnDirectory(async (own) => {
            const file = join(own, 'events.jsonl');
            return rate(events.length, async () => {
              for (let seq = 0; seq < events.length; seq++) await appendFile(file, plainLine(events[seq]!, seq));
            });
          }),
        },
        sqlite('node:sqlite, WAL, synchronous normal (transactions, checksums)', 'NORMAL', events.length),
        ...(pino ? [pinoReference(pino)] : []),
        ...(Hypercore ? [hypercoreReference(Hypercore)] : []),
      ],
    },
    pairs,
  );

  progress('level disk');
  const few = events.slice(0, quick ? 200 : 500);
  yield* await measure(
    {
      what: 'one at a time, survives the machine',
      unit: 'events/s',
      subject: inOwnDirectory(async (own) => {
        const writer = await newJournal(own);
        const result = await rate(few.length, async () => {
          for (const event of few) await writer.append(event, { durability: 'disk' });
        });
        await writer.close();
        return result;
      }),
      against: [
        sqlite('node:sqlite, WAL, synchronous full (transactions, checksums)', 'FULL', few.length),
        {
          name: 'fs.promises write and datasync (promises the line alone)',
          goal: faster,
          run: inOwnDirectory(async (own) => {
            const file = await open(join(own, 'events.jsonl'), 'a');
            const result = await rate(few.length, async () => {
              for (let seq = 0; seq < few.length; seq++) {
                await file.appendFile(plainLine(few[seq]!, seq));
                await file.datasync();
              }
            });
            await file.close();
            return result;
          }),
        },
      ],
    },
    pairs,
  );
  await held.close();

  /** Each line written before the call returns, as a journal does. */
  function pinoReference(create: Pino): Reference {
    return {
      // Not a goal: it is there to show what the promises cost.
      name: 'pino, sync destination (promises the line alone)',
      run: inOwnDirectory(async (own) => {
        const destination = create.destination({ dest: join(own, 'events.log'), sync: true, minLength: 0 });
        const logger = create({ base: null }, destination);
        const result = await rate(events.length, async () => {
          for (const { type, turn, data } of events) logger.info({ type, turn, data });
        });
        await new Promise<void>((resolve) => {
          destination.on('close', resolve);
          destination.end();
        });
        return result;
      }),
    };
  }

  function hypercoreReference(Log: new (path: string) => Hypercore): Reference {
    return {
      name: 'hypercore append (a signed tree of hashes)',
      goal: faster,
      run: inOwnDirectory(async (own) => {
        const core = new Log(join(own, 'events.hypercore'));
        await core.ready();
        const result = await rate(events.length, async () => {
          for (let seq = 0; seq < events.length; seq++) await core.append(Buffer.from(plainLine(events[seq]!, seq)));
        });
        await core.close();
        return result;
      }),
    };
  }
};
