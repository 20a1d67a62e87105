// Appending at level `process`: what checks, checksum, chain and fence cost over one JSON.stringify and one write.
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { Case } from '../bench.ts';
import { openLog, writePlainBatch } from '../floors.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure, seconds, type Timed } from '../measure.ts';
import { inOwnDirectory } from '../own-directory.ts';
import { batches, heldJournal, newJournal } from '../sessions.ts';

type Batches = readonly (readonly NewOllmEvent[])[];

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const events = [...generatedEvents(quick ? 10_000 : 50_000, { seed })];
  const held = await heldJournal(directory);
  for (const size of [100, 10, 1]) {
    progress(`batches of ${size}`);
    const all = [...batches(events, size)];
    yield* await measure(
      {
        what: size === 1 ? 'level process, one event at a time' : `level process, batches of ${size}`,
        unit: 'events/s',
        subject: appending(directory, all, events.length),
        against: [
          { name: 'JSON.stringify and one write', goal: { atLeast: 0.7 }, run: writing(directory, all, events.length) },
        ],
      },
      pairs,
    );
  }
  await held.close();
};

function appending(directory: string, all: Batches, count: number): Timed {
  return inOwnDirectory(directory, async (own) => {
    const writer = await newJournal(own);
    const time = await seconds(async () => {
      for (const batch of all) await writer.append(batch);
    });
    await writer.close();
    return count / time;
  });
}

function writing(directory: string, all: Batches, count: number): Timed {
  return inOwnDirectory(directory, async (own) => {
    const log = openLog(join(own, 'floor.jsonl'));
    let seq = 0;
    const time = await seconds(async () => {
      for (const batch of all) {
        writePlainBatch(log, batch, seq);
        seq += batch.length;
        await undefined;
      }
    });
    closeSync(log);
    return count / time;
  });
}
