// Which machine the figures were taken on, in one line.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { quantile } from './measure.ts';

export function describeMachine(directory: string): string {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return [
    `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${gibibytes} GiB`,
    `${platform()} ${release()} ${arch()}, Node ${process.versions.node}`,
    `a write of 4 kB and its fdatasync ${dataSyncMs(directory).toPrecision(2)} ms, load ${loadavg()[0]!.toFixed(1)}`,
  ].join('; ');
}

function dataSyncMs(directory: string): number {
  const descriptor = openSync(join(directory, 'sync'), 'a');
  const times = Array.from({ length: 40 }, () => {
    const started = performance.now();
    writeSync(descriptor, Buffer.alloc(4096));
    fdatasyncSync(descriptor);
    return performance.now() - started;
  });
  closeSync(descriptor);
  return quantile(times);
}
