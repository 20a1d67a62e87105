// Which machine the figures were taken on, as far as they depend on it.
import { closeSync, fdatasyncSync, openSync, readFileSync, statfsSync, writeSync } from 'node:fs';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileSystemType } from '../lib/platform/disks/file-system-kind.ts';
import { median } from './measure.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly fileSystem: string;
  /** Median time of a write of 4 kB and its fdatasync. */
  readonly dataSyncMs: number;
  /** Processes that wanted to run in the minute before. */
  readonly load: number;
}

export function describeMachine(directory: string): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    fileSystem: fileSystemOf(directory),
    dataSyncMs: measureDataSync(directory),
    load: Math.round(loadavg()[0]! * 10) / 10,
  };
}

/** Why nothing can be said here of what waits for a device; undefined where there is one. */
export function noDisk(directory: string): string | undefined {
  const { kind, name } = fileSystemType(statfsSync(directory).type);
  if (kind !== 'memory') return undefined;
  return `it is measured on ${name}, which is in memory: --directory names a place on a disk`;
}

/** The name that the mount table gives; where there is none, the kernel's number. */
function fileSystemOf(directory: string): string {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, point]) => point === '/' || `${directory}/`.startsWith(`${point}/`))
      .sort(([, one], [, other]) => other!.length - one!.length);
    if (mounts[0]?.[2]) return mounts[0][2];
  } catch {
    // Not Linux.
  }
  return `0x${statfsSync(directory).type.toString(16)}`;
}

function measureDataSync(directory: string): number {
  const descriptor = openSync(join(directory, 'sync'), 'a');
  const block = Buffer.alloc(4096, 0x61);
  const times: number[] = [];
  for (let time = 0; time < 40; time++) {
    const started = performance.now();
    writeSync(descriptor, block);
    fdatasyncSync(descriptor);
    times.push(performance.now() - started);
  }
  closeSync(descriptor);
  return median(times);
}
