// Sessions that are kept nowhere: the file store over a file system in memory. Ends with the process.
import type { JournalPorts } from '../journal/files/store-context.ts';
import type { JournalStore } from '../journal/types.ts';
import { memoryFileSystem } from '../platform/files/memory-file-system.ts';
import { openFileStore } from './file-store.ts';

export function openMemoryStore(dependencies: Omit<JournalPorts, 'fileSystem'>): JournalStore {
  const { clock, process } = dependencies;
  const fileSystem = memoryFileSystem(process.uid === undefined ? { clock } : { clock, uid: process.uid });
  return openFileStore({ ...dependencies, fileSystem }, { directory: '/sessions', location: 'memory' });
}
