// A disk whose syncs take longer than those of the disk at hand: what is shared between callers shows only where waiting
// costs more than working. Everything else is the real disk.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileSystem } from '../lib/platform/files/file-system.ts';

export function slowDevice(fileSystem: FileSystem, dataSyncMs: number): FileSystem {
  return {
    ...fileSystem,
    open(path, mode, permissions) {
      const handle = fileSystem.open(path, mode, permissions);
      const dataSync = handle.dataSync.bind(handle);
      return Object.assign(handle, {
        dataSync: async () => {
          await dataSync();
          await sleep(dataSyncMs);
        },
      });
    },
  };
}
