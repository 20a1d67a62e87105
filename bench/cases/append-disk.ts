// Appending at level `disk`: one caller pays for one fdatasync each time, many callers share it. How much sharing gains
// depends on what the device takes: so this is shown on the disk at hand and on one that takes 5 ms more. Two rows say what limits
// it on the disk at hand: the work for each event, on one that takes nothing; and the bytes, with lines that are made already.
import { closeSync, fdatasyncSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileSystem, nodeFileSystem } from '../../lib/platform/index.ts';
import type { Case } from '../bench.ts';
import { openLog, plainLine, writePlainAndSync } from '../floors.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure, type Reference, seconds, type Timed } from '../measure.ts';
import { hastyFileSystem, heldJournal, newJournal } from '../sessions.ts';
import { slowDevice } from '../slow-device.ts';

const SLOW_MS = 5;

interface Device {
  readonly name: string;
  readonly extraMs: number;
  /** Events that the floor writes. */
  readonly events: number;
}

const MANY = 64;
/** Enough for V8 to have made code of what is measured. */
const WARMING_EVENTS = 4_000;

/** Goals by the number of callers. */
const GOALS = [
  { callers: 1, atLeast: 0.9 },
  { callers: 8, atLeast: undefined },
  { callers: MANY, atLeast: 20 },
] as const;

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const devices: readonly Device[] = [
    { name: 'this disk', extraMs: 0, events: quick ? 200 : 500 },
    { name: `a disk that takes ${SLOW_MS} ms more`, extraMs: SLOW_MS, events: quick ? 20 : 50 },
  ];
  const held = await heldJournal(directory);
  await warm();
  for (const device of devices) {
    const fileSystem = device.extraMs > 0 ? slowDevice(nodeFileSystem, device.extraMs) : nodeFileSystem;
    const floor = floorOf(device);
    for (const { callers, atLeast } of GOALS) {
      progress(`${callers} callers, ${device.name}`);
      yield* await measure(
        {
          what: `level disk, ${callers === 1 ? 'one at a time' : `${callers} callers at once`}, ${device.name}`,
          unit: 'events/s',
          subject: appending(device, callers, fileSystem),
          against: [{ ...floor, goal: atLeast === undefined ? undefined : { atLeast } }],
        },
        pairs,
      );
    }
    if (device.extraMs > 0) continue;
    // The same callers cannot be quicker than the work for their events, whatever they share …
    progress(`${MANY} callers, no device`);
    yield* await measure(
      {
        what: `level disk, ${MANY} callers at once, ${device.name}, were a sync free: the ceiling`,
        unit: 'events/s',
        subject: appending(device, MANY, hastyFileSystem),
        against: [floor],
      },
      pairs,
    );
    // … nor than the device takes their bytes.
    progress(`${MANY} lines, one sync`);
    yield* await measure(
      {
        what: `${MANY} lines that are made already, one write and one fdatasync, ${device.name}: the device's ceiling`,
        unit: 'events/s',
        subject: writingMadeLines(device),
        against: [floor],
      },
      pairs,
    );
  }
  await held.close();

  /**
   * A contest is a few hundred events long, because a device is slow; who appends all day has code that was compiled long ago. So
   * both sides come here warm.
   */
  async function warm(): Promise<void> {
    const events = [...generatedEvents(WARMING_EVENTS, { seed })];
    const writer = await newJournal(directory, { fileSystem: hastyFileSystem });
    for (const event of events) await writer.append(event, { durability: 'disk' });
    await writer.close();
    for (const [seq, event] of events.entries()) plainLine(event, seq);
  }

  /** What group commit could come to if no event had to be made into a line. */
  function writingMadeLines(device: Device): Timed {
    const events = [...generatedEvents(device.events * MANY, { seed })];
    const blocks = Array.from({ length: device.events }, (_, block) =>
      Buffer.from(
        events
          .slice(block * MANY, (block + 1) * MANY)
          .map((event, index) => plainLine(event, block * MANY + index))
          .join(''),
      ),
    );
    return async () => {
      const log = openLog(join(directory, 'blocks.jsonl'));
      const time = await seconds(() => {
        for (const block of blocks) {
          writeSync(log, block);
          fdatasyncSync(log);
        }
      });
      closeSync(log);
      return events.length / time;
    };
  }

  /** Both sides wait for about as many syncs: the floor for each event, the callers for each round of theirs. */
  function appending(device: Device, callers: number, fileSystem: FileSystem): Timed {
    const events = [...generatedEvents(device.events * callers, { seed })];
    return async () => {
      const writer = await newJournal(directory, { fileSystem });
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
    };
  }

  function floorOf(device: Device): Reference {
    const events = [...generatedEvents(device.events, { seed })];
    return {
      name: 'write and fdatasync, one at a time',
      run: async () => {
        const log = openLog(join(directory, 'floor.jsonl'));
        const time = await seconds(async () => {
          for (const [seq, event] of events.entries()) {
            writePlainAndSync(log, event, seq);
            // The same timer as the slow device's: timers are late.
            if (device.extraMs > 0) await sleep(device.extraMs);
          }
        });
        closeSync(log);
        return events.length / time;
      },
    };
  }
};
