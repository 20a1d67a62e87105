// The journals that cases read: generated ones of each length that was asked for, and one of real conversations where they are
// on this machine. Each is written once in a run, by the first case that reads it.
import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileEvents, transcriptFiles } from '../__tests__/support/transcripts.ts';
import type { NewEvent } from '../lib/journal/types.ts';
import type { Bench } from './bench.ts';
import { seconds, type Timed } from './measure.ts';
import { batches, newJournal, writeJournal } from './sessions.ts';

/** As much is read in a run at least: a short journal is read several times. */
const LEAST_BYTES = 20e6;
/** From here on a run takes so long that few of them say enough. */
const LARGE_BYTES = 500e6;
const LARGE_PAIRS = 3;
const BATCH_EVENTS = 200;

export interface SharedJournal {
  /** “20,000 events” */
  readonly name: string;
  readonly directory: string;
  readonly id: string;
  readonly path: string;
  /** How often each pair is taken, where so much is read. */
  readonly pairs: number;
  /** MB/s of something that reads the journal once. */
  rate(reading: () => unknown): Timed;
}

/** One after the other, so that none waits for those behind it. */
export async function* journalsToRead(bench: Bench): AsyncGenerator<SharedJournal, void, void> {
  const { lengths, seed } = bench;
  for (const length of lengths) {
    const name = `${length.toLocaleString('en')} events`;
    yield await written(bench, name, `generated-${length}`, (directory) =>
      writeJournal(directory, 'journal', length, { seed }),
    );
  }
  const files = transcriptFiles();
  if (files.length === 0) return;
  const name = `${files.length} real conversations`;
  yield await written(bench, name, 'real', async (directory) => {
    const writer = await newJournal(directory);
    for (const batch of batches(conversations(files), BATCH_EVENTS)) await writer.append(batch);
    await writer.close();
  });
}

/** Whoever breaks off while writing leaves nothing under the name that the next one looks for. */
async function written(
  { shared, pairs, progress }: Bench,
  name: string,
  place: string,
  write: (directory: string) => Promise<unknown>,
): Promise<SharedJournal> {
  const directory = join(shared, place);
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    progress(`writing a journal of ${name}`);
    const unfinished = `${directory}.unfinished`;
    mkdirSync(unfinished);
    await write(unfinished);
    renameSync(unfinished, directory);
  }
  const file = readdirSync(directory).find((entry) => entry.endsWith('.jsonl'))!;
  const path = join(directory, file);
  const bytes = statSync(path).size;
  const times = Math.max(1, Math.round(LEAST_BYTES / bytes));
  return {
    name,
    directory,
    id: file.slice(0, -'.jsonl'.length),
    path,
    pairs: bytes > LARGE_BYTES ? LARGE_PAIRS : pairs,
    rate: (reading) => async () => {
      const spent = await seconds(async () => {
        for (let time = 0; time < times; time += 1) await reading();
      });
      return (times * bytes) / 1e6 / spent;
    },
  };
}

/** As one long one: turns are counted on. */
function* conversations(files: ReturnType<typeof transcriptFiles>): Generator<NewEvent> {
  let before = 0;
  for (const { path, form } of files) {
    let last = before;
    for (const event of fileEvents(path, form)) {
      last = before + event.turn;
      yield { ...event, turn: last } as NewEvent;
    }
    before = last;
  }
}
