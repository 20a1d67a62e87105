import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import {
  countingIds,
  manualClock,
  memoryFileSystem,
  readFile,
  silentLog,
  thisProcess,
} from '../../lib/platform/index.ts';
import { keptFromGit } from '../../lib/stores/kept-from-git.ts';
import { CREATED, make, say } from '../journal/store.contract.ts';

const PROJECT = '/home/me/project/.ollm';
const DIRECTORY = `${PROJECT}/session-data`;

const WAYS: readonly (readonly [string, (store: JournalStore) => Promise<void>])[] = [
  ['is created', (store) => make(store, 'notes', 'one')],
  [
    'is made from a different one',
    (store) =>
      store.createFilled('notes', {
        created: CREATED,
        fill: async (writer) => void (await writer.append(say('one'))),
      }),
  ],
];

describe('the first session of a project', () => {
  it.each(WAYS)('that %s keeps the directory out of the history, unless the user wants it there', async (_, way) => {
    const clock = manualClock();
    const fileSystem = memoryFileSystem({ clock });
    const ports = { fileSystem, clock, ids: countingIds(), process: thisProcess('a test'), log: silentLog };
    const files = openFileStore(ports, { directory: DIRECTORY });
    const store = keptFromGit(files, { directory: DIRECTORY, fileSystem, log: silentLog });
    await way(store);
    const path = `${PROJECT}/.gitignore`;
    expect(Buffer.from(readFile(fileSystem, path)).toString()).toBe('/session-data/\n');
    fileSystem.unlink(path);
    await make(store, 'other', 'two');
    expect(fileSystem.stat(path)).toBeUndefined();
  });
});
