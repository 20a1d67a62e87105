// Appending at level `disk`: one caller pays for one fdatasync each time, many callers share it.
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import { openLog, writePlainAndSync } from '../floors.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure, seconds } from '../measure.ts';
import { newJournal } from '../sessions.ts';

const GOALS = new Map([
  [1, 0.9],
  [8, undefined],
  [64, 20],
]);

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const floorEvents = [...generatedEvents(quick ? 200 : 500, { seed })];
  for (const [callers, goal] of GOALS) {
    progress(`${callers} callers`);
    // As many rounds of all callers as the floor writes events: both sides wait for about as many syncs.
    const rounds = floorEvents.length;
    const events = [...generatedEvents(rounds * callers, { seed })];
    yield* await measure(
      {
        what: callers === 1 ? 'level disk, one at a time' : `level disk, ${callers} callers at once`,
        unit: 'events/s',
        subject: async () => {
          const writer = await newJournal(directory);
          const time = await seconds(() =>
            Promise.all(
              Array.from({ length: callers }, async (_, caller) => {
                for (let index = caller; index < events.length; index += callers) {
                  await writer.append(events[index]!, { durability: 'disk' });
                }
              }),
            ),
          );
          await writer.close();
          return events.length / time;
        },
        against: [
          {
            name: 'write and fdatasync, one at a time',
            goal: goal === undefined ? undefined : { atLeast: goal },
            run: async () => {
              const log = openLog(join(directory, 'floor.jsonl'));
              const time = await seconds(() => {
                floorEvents.forEach((event, seq) => {
                  writePlainAndSync(log, event, seq);
                });
              });
              closeSync(log);
              return floorEvents.length / time;
            },
          },
        ],
      },
      pairs,
    );
  }
};
