// A journal that another program has changed in place is told by its time of change, and an append does not ask the
// system for that: it is compared with the time of the write, also where the clocks of disk and program differ.
import fc from 'fast-check';
import { AppendFile } from '../../../lib/journal/writing/append-file.ts';
import { manualClock } from '../../../lib/platform/clock.ts';
import { memoryFileSystem } from '../../../lib/platform/files/memory-file-system.ts';
import { countingFileSystem } from '../../support/counting-file-system.ts';

const FILE = { id: 'notes', path: '/notes.jsonl' };
const TICK_MS = 20;

function opened(skewMs = 0) {
  const clock = manualClock();
  const ours = { ...clock, now: () => clock.now() + skewMs };
  const disk = memoryFileSystem({ clock });
  disk.open(FILE.path, 'create').close();
  const { fileSystem, during } = countingFileSystem(disk);
  const file = new AppendFile({ fileSystem, clock: ours }, FILE, fileSystem.open(FILE.path, 'append'), () => {});
  const stampOnDisk = () => {
    const { inode, changedNs } = disk.stat(FILE.path)!;
    return `${inode} ${changedNs}`;
  };
  /** A byte that was changed, as an editor does it. */
  const changeInPlace = () => {
    const other = disk.open(FILE.path, 'append');
    other.write(Uint8Array.of(1));
    other.truncate(file.length);
    other.close();
  };
  return { clock, file, during, stampOnDisk, changeInPlace, append: () => file.write(Uint8Array.of(10)) };
}

const step = fc.oneof(
  fc.constantFrom('append' as const, 'append' as const, 'ask' as const),
  fc.record({ waitMs: fc.oneof(fc.nat(3), fc.nat(5000)) }),
);
const skew = fc.oneof(fc.constant(0), fc.integer({ min: -50, max: 50 }), fc.integer({ min: -1e9, max: 1e9 }));

it('a file that only its writer has changed keeps a known stamp, whichever clocks disk and program have', () => {
  fc.assert(
    fc.property(skew, fc.array(step, { maxLength: 20 }), (skewMs, steps) => {
      const { clock, file, append, stampOnDisk } = opened(skewMs);
      for (const each of steps) {
        if (each === 'append') append();
        else if (each === 'ask') expect(file.stamp).toBe(stampOnDisk());
        else clock.advance(each.waitMs);
      }
      expect(file.stamp).toBe(stampOnDisk());
    }),
    { numRuns: 300 },
  );
});

it('a change from outside is told at any time after an append, except within a tick', () => {
  fc.assert(
    fc.property(skew, fc.array(step, { maxLength: 20 }), fc.array(step, { maxLength: 9 }), (skewMs, before, after) => {
      const { clock, file, append, changeInPlace, stampOnDisk } = opened(skewMs);
      const perform = (each: typeof step extends fc.Arbitrary<infer Step> ? Step : never) => {
        if (each === 'append') append();
        else if (each === 'ask') void file.stamp;
        else clock.advance(each.waitMs);
      };
      before.forEach(perform);
      clock.advance(2 * TICK_MS);
      changeInPlace();
      after.forEach(perform);
      expect(file.stamp).not.toBe(stampOnDisk());
    }),
    { numRuns: 300 },
  );
});

it('a clock that was set back or forward between appends never hides a change', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e7, max: 1e7 }), fc.boolean(), (stepMs, isChangedAfter) => {
      const { clock, file, append, changeInPlace } = opened();
      append();
      append();
      clock.set(clock.now() + stepMs);
      if (Math.abs(stepMs) <= 2 * TICK_MS) clock.advance(4 * TICK_MS);
      if (!isChangedAfter) append();
      clock.advance(2 * TICK_MS);
      changeInPlace();
      append();
      expect(file.stamp).toBe('');
    }),
  );
});

it('an append asks the system for nothing but the check before it, and the first one for the stamp', async () => {
  const { append, during } = opened();
  expect((await during(append)).calls).toEqual({ stat: 2, write: 1 });
  expect((await during(append)).calls).toEqual({ stat: 1, write: 1 });
});

it('an append that cannot be asked for its stamp is stored and acknowledged, and the stamp is given up', () => {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  const handle = fileSystem.open(FILE.path, 'create');
  let isBroken = false;
  const stat = () => {
    if (isBroken) throw Object.assign(new Error('no'), { code: 'EIO' });
    return handle.stat();
  };
  const file = new AppendFile({ fileSystem, clock }, FILE, { ...handle, stat }, () => {});
  isBroken = true;
  expect(file.write(Uint8Array.of(10))).toBe('process');
  isBroken = false;
  expect(file.write(Uint8Array.of(10))).toBe('process');
  expect([file.length, file.stamp, file.failure]).toEqual([2, '', undefined]);
});
