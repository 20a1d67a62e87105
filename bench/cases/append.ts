// Appending at level `process`: what checks, checksum, chain and fence cost over one JSON.stringify and one write.
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import { openLog, writePlainBatch } from '../floors.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure, seconds } from '../measure.ts';
import { batches, heldJournal, newJournal } from '../sessions.ts';

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
        subject: async () => {
          const writer = await newJournal(directory);
          const time = await seconds(async () => {
            for (const batch of all) await writer.append(batch);
          });
          await writer.close();
          return events.length / time;
        },
        against: [
          {
            name: 'JSON.stringify and one write',
            goal: { atLeast: 0.7 },
            run: async () => {
              const log = openLog(join(directory, 'floor.jsonl'));
              let seq = 0;
              const time = await seconds(async () => {
                for (const batch of all) {
                  writePlainBatch(log, batch, seq);
                  seq += batch.length;
                  await undefined;
                }
              });
              closeSync(log);
              return events.length / time;
            },
          },
        ],
      },
      pairs,
    );
  }
  await held.close();
};
