// A disk that fails at each call in turn, while a session is moved: the reported place is the real one.
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import {
  type FileSystem,
  manualClock,
  memoryFileSystem,
  silentLog,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import { CREATED, make } from '../journal/store.contract.ts';
import { failingFileSystem } from '../support/failing-file-system.ts';

const storeOn = (fileSystem: FileSystem): JournalStore =>
  openFileStore(
    { fileSystem, clock: manualClock(), ids: systemIds, process: thisProcess('test'), log: silentLog },
    { directory: '/home/sessions' },
  );

interface Move {
  readonly what: string;
  readonly before?: (store: JournalStore) => Promise<unknown>;
  readonly move: (store: JournalStore) => Promise<unknown>;
  readonly isDone: (store: JournalStore) => Promise<boolean>;
  readonly report: RegExp;
}

const MOVES: readonly Move[] = [
  {
    what: 'deleted',
    move: (store) => store.trash('notes'),
    isDone: async (store) => !(await store.has('notes')),
    report: /^Session notes is in the trash, but a power failure may undo that: /,
  },
  {
    what: 'restored',
    before: (store) => store.trash('notes'),
    move: (store) => store.restore('notes'),
    isDone: async (store) => await store.has('notes'),
    report: /^Session notes is back, but a power failure may undo that: /,
  },
  {
    what: 'archived',
    move: (store) => store.archive('notes'),
    isDone: async (store) => !(await store.has('notes')),
    report: /^Session notes is archived as notes\.[\d-]+\.jsonl, but a power failure may undo that: /,
  },
  {
    what: 'replaced',
    move: (store) => store.replace('notes', { suffix: 'reset', created: () => CREATED, fill: async () => {} }),
    isDone: async (store) => {
      const reader = store.openReader('notes');
      const { events } = await reader.verify();
      reader.close();
      return events < 3;
    },
    report: /^Session notes has its new journal, but a power failure may undo that: /,
  },
];

describe('a session that is', () => {
  it.each(MOVES)('$what while the disk fails is reported at its real place', async (given) => {
    let reports = 0;
    for (let at = 1; ; at += 1) {
      const disk = memoryFileSystem();
      await make(storeOn(disk), 'notes', 'one', 'two');
      await given.before?.(storeOn(disk));
      const failing = failingFileSystem(disk, 'EIO', at);
      const error = (await given.move(storeOn(failing.fileSystem)).catch((error: unknown) => error)) as Error;
      if (!failing.hasFailed()) break;
      if (!(error instanceof Error) || !(await given.isDone(storeOn(disk)))) continue;
      expect([at, error.message]).toEqual([at, expect.stringMatching(given.report)]);
      expect(error).toMatchObject({ code: 'IO_FAILED' });
      reports += 1;
    }
    expect(reports).toBeGreaterThan(0);
  });
});
