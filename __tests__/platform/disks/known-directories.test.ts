// Directories that are listed again and again: the entries are those on the disk, and a directory is read only after a
// name in it came or went.
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { KnownDirectories } from '../../../lib/platform/disks/known-directories.ts';
import { nodeFileSystem, systemClock } from '../../../lib/platform/index.ts';
import { countingFileSystem } from '../../support/counting-file-system.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ollm-known-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** No program can set a time of change: the clock is later, so that every directory is an old one. */
const LATER = { now: () => systemClock.now() + 60_000 };

it('a directory is read once, and again after a file in it was added, removed, or renamed', async () => {
  const { fileSystem, during } = countingFileSystem(nodeFileSystem);
  const known = new KnownDirectories({ fileSystem, clock: LATER }).fileSystem();
  const reads = async () => (await during(() => known.readDirectory(home))).calls.readDirectory ?? 0;
  const changes = [
    () => writeFileSync(join(home, 'a'), ''),
    () => renameSync(join(home, 'a'), join(home, 'b')),
    () => linkSync(join(home, 'b'), join(home, 'c')),
    () => rmSync(join(home, 'b')),
    () => mkdirSync(join(home, 'd')),
  ];
  expect([await reads(), await reads()]).toEqual([1, 0]);
  for (const change of changes) {
    await pastTheTick();
    change();
    expect([await reads(), await reads()]).toEqual([1, 0]);
    expect(known.readDirectory(home)).toEqual(nodeFileSystem.readDirectory(home));
  }
});

it('a directory that changed just now is read each time, and one that a link leads to when that changed', async () => {
  const { fileSystem, during } = countingFileSystem(nodeFileSystem);
  const folder = join(home, 'folder');
  mkdirSync(folder);
  symlinkSync(folder, join(home, 'link'));
  const readsOf = async (path: string, clock: { now(): number }) => {
    const known = new KnownDirectories({ fileSystem, clock }).fileSystem();
    const asked = await during(() => [known.readDirectory(path), known.readDirectory(path)]);
    return asked.calls.readDirectory;
  };
  expect(await readsOf(folder, systemClock)).toBe(2);
  expect(await readsOf(folder, LATER)).toBe(1);
  expect(await readsOf(join(home, 'link'), LATER)).toBe(1);
  const known = new KnownDirectories({ fileSystem, clock: LATER }).fileSystem();
  expect(known.readDirectory(join(home, 'link'))).toEqual([]);
  await pastTheTick();
  writeFileSync(join(folder, 'new'), '');
  expect(known.readDirectory(join(home, 'link')).map(({ name }) => name)).toEqual(['new']);
});

it('a directory that is removed, or replaced by one with its name, is forgotten', async () => {
  const folder = join(home, 'folder');
  const known = new KnownDirectories({ fileSystem: nodeFileSystem, clock: LATER }).fileSystem();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('make', 'remove', 'write', 'replace'), { maxLength: 5 }),
      async (steps) => {
        for (const [number, step] of steps.entries()) {
          await pastTheTick();
          if (step === 'remove') rmSync(folder, { recursive: true, force: true });
          else mkdirSync(folder, { recursive: true });
          if (step === 'write') writeFileSync(join(folder, `file-${number}`), '');
          if (step === 'replace') {
            const other = mkdtempSync(join(home, 'other-'));
            writeFileSync(join(other, 'stranger'), '');
            rmSync(folder, { recursive: true });
            renameSync(other, folder);
          }
          const now = () => known.readDirectory(folder);
          if (step === 'remove') expect(now).toThrow('ENOENT');
          else expect(now()).toEqual(nodeFileSystem.readDirectory(folder));
        }
      },
    ),
    { numRuns: 100 },
  );
});

/** Clocks of disks tick every few milliseconds; two changes within one have the same time. */
async function pastTheTick(): Promise<void> {
  const probe = join(tmpdir(), `ollm-tick-${process.pid}`);
  const touched = () => {
    writeFileSync(probe, '');
    const { changedNs } = nodeFileSystem.stat(probe)!;
    rmSync(probe);
    return changedNs;
  };
  const before = touched();
  while (touched() === before) await new Promise((done) => setTimeout(done, 1));
}
