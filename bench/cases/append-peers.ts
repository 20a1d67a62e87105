// One event at a time, acknowledged one by one, against what else keeps a log, in two leagues: those whose promise ends
// with the process, and those that wait for the device. What a peer promises beside that stands with its name: a journal has
// a checksum in each line and a chain from line to line, and writes to no file that somebody moved or changed.
import { appendFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { Case } from '../bench.ts';
import { plainLine } from '../floors.ts';
import { generatedEvents } from '../generated-session.ts';
import { noDisk } from '../machine.ts';
import { measure, seconds, type Timed } from '../measure.ts';
import { inOwnDirectory } from '../own-directory.ts';
import { loadPeer, missingPeer } from '../peers.ts';
import { heldJournal, newJournal } from '../sessions.ts';

const FASTER = { atLeast: 1 };

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const pino = (await loadPeer<{ default: Pino }>('pino'))?.default;
  const Hypercore = (await loadPeer<{ default: HypercoreClass }>('hypercore'))?.default;
  if (!pino) yield missingPeer('one event at a time against pino', 'pino');
  if (!Hypercore) yield missingPeer('one event at a time against hypercore', 'hypercore');

  const events = [...generatedEvents(quick ? 5_000 : 10_000, { seed })];
  const held = await heldJournal(directory);
  progress('level process');
  const all = (log: OpenLog) => appending(directory, events, log);
  yield* await measure(
    {
      what: 'one at a time, survives the process',
      unit: 'events/s',
      subject: all(journal('process')),
      against: [
        { name: 'fs.promises.appendFile on an open file (promises the line alone)', goal: FASTER, run: all(openFile) },
        { name: 'fs.promises.appendFile by path (promises the line alone)', goal: FASTER, run: all(fileByPath) },
        { name: 'node:sqlite, WAL, synchronous off (transactions, checksums)', goal: FASTER, run: all(sqlite('OFF')) },
        // No goals for what promises more, and for what is there to show what the promises cost.
        {
          name: 'node:sqlite, WAL, synchronous normal (the same, and a database that is whole behind a loss of power)',
          run: all(sqlite('NORMAL')),
        },
        ...(pino ? [{ name: 'pino, sync destination (promises the line alone)', run: all(pinoFile(pino)) }] : []),
        ...(Hypercore
          ? [{ name: 'hypercore append (a signed tree of hashes)', goal: FASTER, run: all(hypercore(Hypercore)) }]
          : []),
      ],
    },
    pairs,
  );

  const what = 'one at a time, survives the machine';
  const reason = noDisk(directory);
  if (reason) yield { kind: 'skipped', what, reason };
  else {
    progress('level disk');
    const few = (log: OpenLog) => appending(directory, events.slice(0, quick ? 200 : 500), log);
    yield* await measure(
      {
        what,
        unit: 'events/s',
        subject: few(journal('disk')),
        against: [
          {
            name: 'node:sqlite, WAL, synchronous full (transactions, checksums)',
            goal: FASTER,
            run: few(sqlite('FULL')),
          },
          { name: 'fs.promises write and datasync (promises the line alone)', goal: FASTER, run: few(syncedFile) },
        ],
      },
      pairs,
    );
  }
  await held.close();
};

/** Events a second, each acknowledged before the next one comes. What it takes to open and to close is not counted. */
function appending(directory: string, events: readonly NewOllmEvent[], openLog: OpenLog): Timed {
  return inOwnDirectory(directory, async (own) => {
    const log = await openLog(own);
    const time = await seconds(async () => {
      for (let seq = 0; seq < events.length; seq++) await log.append(events[seq]!, seq);
    });
    await log.close();
    return events.length / time;
  });
}

/** Whatever comes back from it is waited for. */
interface Log {
  append(event: NewOllmEvent, seq: number): unknown;
  close(): unknown;
}

type OpenLog = (own: string) => Promise<Log>;

function journal(durability: 'process' | 'disk'): OpenLog {
  return async (own) => {
    const writer = await newJournal(own);
    return { append: (event) => writer.append(event, { durability }), close: () => writer.close() };
  };
}

async function openFile(own: string): Promise<Log> {
  const file = await open(join(own, 'events.jsonl'), 'a');
  return { append: (event, seq) => file.appendFile(plainLine(event, seq)), close: () => file.close() };
}

async function fileByPath(own: string): Promise<Log> {
  const path = join(own, 'events.jsonl');
  return { append: (event, seq) => appendFile(path, plainLine(event, seq)), close() {} };
}

async function syncedFile(own: string): Promise<Log> {
  const file = await open(join(own, 'events.jsonl'), 'a');
  return {
    async append(event, seq) {
      await file.appendFile(plainLine(event, seq));
      await file.datasync();
    },
    close: () => file.close(),
  };
}

/**
 * With WAL, OFF leaves all syncs to the system, as a journal does at level `process`; NORMAL syncs at each checkpoint, and FULL
 * at each insert.
 */
function sqlite(synchronous: 'OFF' | 'NORMAL' | 'FULL'): OpenLog {
  return async (own) => {
    const database = new DatabaseSync(join(own, 'events.sqlite'));
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
      CREATE TABLE events (seq INTEGER PRIMARY KEY, ts TEXT, type TEXT, turn INTEGER, data TEXT)`);
    const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
    return {
      append({ type, turn, data }, seq) {
        insert.run(seq, new Date().toISOString(), type, turn ?? null, JSON.stringify(data));
      },
      close: () => database.close(),
    };
  };
}

interface Pino {
  (options: object, destination: object): { info(fields: object): void };
  destination(options: object): { end(): void; on(event: string, listener: () => void): void };
}

/** Each line written before the call returns, as a journal does. */
function pinoFile(create: Pino): OpenLog {
  return async (own) => {
    const destination = create.destination({ dest: join(own, 'events.log'), sync: true, minLength: 0 });
    const logger = create({ base: null }, destination);
    return {
      append: ({ type, turn, data }) => logger.info({ type, turn, data }),
      close: () =>
        new Promise<void>((resolve) => {
          destination.on('close', resolve);
          destination.end();
        }),
    };
  };
}

interface Hypercore {
  ready(): Promise<void>;
  append(block: Buffer): Promise<unknown>;
  close(): Promise<void>;
}

type HypercoreClass = new (path: string) => Hypercore;

function hypercore(Hypercore: HypercoreClass): OpenLog {
  return async (own) => {
    const core = new Hypercore(join(own, 'events.hypercore'));
    await core.ready();
    return { append: (event, seq) => core.append(Buffer.from(plainLine(event, seq))), close: () => core.close() };
  };
}
