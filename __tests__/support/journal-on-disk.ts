// What a journal in a real directory is on, for the tests that use real processes and a real disk.
import { join } from 'node:path';
import type { WriterPorts } from '../../lib/journal/files/store-context.ts';
import type { JournalPlace } from '../../lib/journal/writing/writer.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../lib/platform/index.ts';

export function placeIn(directory: string, id: string): JournalPlace {
  return {
    id,
    path: join(directory, `${id}.jsonl`),
    lockPath: join(directory, `${id}.lock`),
    quarantineDirectory: join(directory, 'quarantine'),
  };
}

/** The ports of this process, called `command` by those who meet its lock. */
export function realPorts(command: string): WriterPorts {
  return {
    fileSystem: nodeFileSystem,
    clock: systemClock,
    ids: systemIds,
    process: thisProcess(command),
    log: silentLog,
    settled: new Set(),
  };
}
