import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../lib/platform/index.ts';
import { CREATED } from '../journal/store.contract.ts';
import { countingFileSystem } from '../support/counting-file-system.ts';

interface Trashed {
  readonly directory: string;
  readonly store: JournalStore;
  during: ReturnType<typeof countingFileSystem>['during'];
  make(...ids: readonly string[]): Promise<void>;
  [Symbol.dispose](): void;
}

function scene(): Trashed {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-trash-'));
  const { fileSystem, during } = countingFileSystem(nodeFileSystem);
  const ports = { fileSystem, clock: systemClock, ids: systemIds, process: thisProcess('test'), log: silentLog };
  const store = openFileStore(ports, { directory });
  return {
    directory,
    store,
    during,
    async make(...ids) {
      for (const id of ids) await (await store.create(id, CREATED)).close();
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const idsOf = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`);

/** Entries as another deletion left them. */
function fillTrash(directory: string, count: number): void {
  for (const id of idsOf(count)) {
    const folder = join(directory, 'trash', `old-${id}.20260101-000000`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `old-${id}.jsonl`), '');
  }
}

describe('moving a session to the trash', () => {
  it.each([
    [0, 10],
    [1000, 10],
    [1000, 100],
  ])('with %d entries in the trash, costs equally many calls for each of %d sessions', async (entries, count) => {
    using at = scene();
    fillTrash(at.directory, entries);
    await at.make(...idsOf(count));
    const { calls } = await at.during(async () => {
      for (const id of idsOf(count)) await at.store.trash(id);
    });
    const { readNames = 0, readDirectory = 0, stat = 0 } = calls;
    // Both directories are read once, and before the trash is made a second time.
    expect(readNames).toBeLessThanOrEqual(4);
    expect(readDirectory).toBeLessThanOrEqual(2);
    expect(stat / count).toBeLessThanOrEqual(30);
    expect((await at.store.listTrash()).length).toBe(entries + count);
  });

  it('includes documents that were set aside, also by a different process a moment before', async () => {
    using at = scene();
    await at.make('one', 'two', 'three');
    await at.store.trash('one');
    writeFileSync(join(at.directory, 'two.state.json.20260101-000000.suspect'), '{}');
    const { entry } = await at.store.trash('two');
    expect(readdirSync(join(at.directory, 'trash', entry)).sort()).toEqual([
      'two.jsonl',
      'two.state.json.20260101-000000.suspect',
    ]);
  });

  it('is dated after each earlier one of the same id, however often it is restored', async () => {
    using at = scene();
    const entries: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      await at.make('one');
      entries.push((await at.store.trash('one')).entry);
    }
    expect(new Set(entries).size).toBe(4);
    expect([...entries].sort()).toEqual(entries);
    await at.store.restore('one');
    expect((await at.store.listTrash()).map(({ entry }) => entry)).toEqual(entries.slice(0, 3).reverse());
  });
});

describe('restoring a session', () => {
  it('reads only the entries of this session', async () => {
    using at = scene();
    fillTrash(at.directory, 1000);
    await at.make('one');
    await at.store.trash('one');
    const { calls } = await at.during(() => at.store.restore('one'));
    expect(calls.stat).toBeLessThanOrEqual(30);
    expect(await at.store.has('one')).toBe(true);
  });
});
