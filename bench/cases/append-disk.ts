// Appending at level `disk`: one caller pays for one fdatasync each time, many callers share it. How much sharing gains
// depends on what the device takes: so this is shown on the disk at hand and on one that takes 5 ms more. Two rows say what limits
// it on the disk at hand: the bytes, with lines that are made already; and the work for each event, on one that takes nothing,
// which comes last, because it alone leaves much that was not synced.
import { closeSync, fdatasyncSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileSystem, nodeFileSystem } from '../../lib/platform/index.ts';
import type { Case } from '../bench.ts';
import { openLog, plainLine, writePlainAndSync } from '../floors.ts';
import { generatedEvents } from '../generated-session.ts';
import { noDisk } from '../machine.ts';
import { measure, type Reference, seconds, type Timed } from '../measure.ts';
import { inOwnDirectory } from '../own-directory.ts';
import { hastyFileSystem, heldJournal, newJournal } from '../sessions.ts';
import { slowDevice } from '../slow-device.ts';

const SLOW_MS = 5;
const MANY = 64;
/** Enough for V8 to have made code of what is measured. */
const WARMING_EVENTS = 4_000;

/** Goals by the number of callers. */
const GOALS = [
  { callers: 1, goal: { atLeast: 0.9 } },
  { callers: 8, goal: undefined },
  { callers: MANY, goal: { atLeast: 20 } },
] as const;

interface Device {
  readonly name: string;
  readonly extraMs: number;
  /** Syncs that each side waits for in a run: the floor for each event, callers for each round of theirs. */
  readonly syncs: number;
  readonly fileSystem: FileSystem;
}

/** Where runs have their directories, and of which seed their events are. */
interface Place {
  readonly directory: string;
  readonly seed: number;
}

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const reason = noDisk(directory);
  if (reason) {
    yield { kind: 'skipped', what: 'level disk', reason };
    return;
  }
  const place = { directory, seed };
  const here: Device = { name: 'this disk', extraMs: 0, syncs: quick ? 200 : 500, fileSystem: nodeFileSystem };
  const slow: Device = {
    name: `a disk that takes ${SLOW_MS} ms more`,
    extraMs: SLOW_MS,
    syncs: quick ? 20 : 50,
    fileSystem: slowDevice(nodeFileSystem, SLOW_MS),
  };
  const held = await heldJournal(directory);
  await warm(place);
  for (const device of [here, slow]) {
    for (const { callers, goal } of GOALS) {
      progress(`${callers} callers, ${device.name}`);
      yield* await measure(
        {
          what: `level disk, ${callers === 1 ? 'one at a time' : `${callers} callers at once`}, ${device.name}`,
          unit: 'events/s',
          subject: appending(place, device, callers),
          against: [{ ...floorOf(place, device), goal }],
        },
        pairs,
      );
    }
  }
  // The callers cannot be quicker than the device takes their bytes …
  progress(`${MANY} lines, one sync`);
  yield* await measure(
    {
      what: `${MANY} lines that are made already, one write and one fdatasync, ${here.name}: the device's ceiling`,
      unit: 'events/s',
      subject: writingMadeLines(place, here),
      against: [floorOf(place, here)],
    },
    pairs,
  );
  // … nor than the work for their events, whatever they share.
  progress(`${MANY} callers, no device`);
  yield* await measure(
    {
      what: `level disk, ${MANY} callers at once, ${here.name}, were a sync free: the ceiling`,
      unit: 'events/s',
      subject: appending(place, { ...here, fileSystem: hastyFileSystem }, MANY),
      against: [floorOf(place, here)],
    },
    pairs,
  );
  await held.close();
};

/**
 * A contest is a few hundred events long, because a device is slow; who appends all day has code that was compiled long ago. So
 * both sides come here warm.
 */
async function warm({ directory, seed }: Place): Promise<void> {
  const events = [...generatedEvents(WARMING_EVENTS, { seed })];
  const work = inOwnDirectory(directory, async (own) => {
    const writer = await newJournal(own, { fileSystem: hastyFileSystem });
    for (const event of events) await writer.append(event, { durability: 'disk' });
    await writer.close();
    for (const [seq, event] of events.entries()) plainLine(event, seq);
    return events.length;
  });
  await work();
}

function appending({ directory, seed }: Place, { syncs, fileSystem }: Device, callers: number): Timed {
  const events = [...generatedEvents(syncs * callers, { seed })];
  return inOwnDirectory(directory, async (own) => {
    const writer = await newJournal(own, { fileSystem });
    const caller = async (_: unknown, first: number) => {
      for (let index = first; index < events.length; index += callers) {
        await writer.append(events[index]!, { durability: 'disk' });
      }
    };
    const time = await seconds(() => Promise.all(Array.from({ length: callers }, caller)));
    await writer.close();
    return events.length / time;
  });
}

function floorOf({ directory, seed }: Place, { syncs, extraMs }: Device): Reference {
  const events = [...generatedEvents(syncs, { seed })];
  return {
    name: 'write and fdatasync, one at a time',
    run: inOwnDirectory(directory, async (own) => {
      const log = openLog(join(own, 'floor.jsonl'));
      const time = await seconds(async () => {
        for (const [seq, event] of events.entries()) {
          writePlainAndSync(log, event, seq);
          // The same timer as the slow device's: timers are late.
          if (extraMs > 0) await sleep(extraMs);
        }
      });
      closeSync(log);
      return events.length / time;
    }),
  };
}

/** What group commit could come to if no event had to be made into a line. */
function writingMadeLines({ directory, seed }: Place, { syncs }: Device): Timed {
  const events = [...generatedEvents(syncs * MANY, { seed })];
  const blocks = Array.from({ length: syncs }, (_, block) =>
    Buffer.from(
      events
        .slice(block * MANY, (block + 1) * MANY)
        .map((event, index) => plainLine(event, block * MANY + index))
        .join(''),
    ),
  );
  return inOwnDirectory(directory, async (own) => {
    const log = openLog(join(own, 'blocks.jsonl'));
    const time = await seconds(() => {
      for (const block of blocks) {
        writeSync(log, block);
        fdatasyncSync(log);
      }
    });
    closeSync(log);
    return events.length / time;
  });
}
