// Preloaded into a process whose memory is measured: reports at its end its peak, in kB. Plain JavaScript, because
// stripping types would be the larger part of the measured memory.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

process.on('exit', () => writeFileSync(process.env.BENCH_PEAK, ownPeak()));

/**
 * The peak of the process itself, if the system reports that: the resource usage begins with the peak of its parent.
 */
function ownPeak() {
  const [, kilobytes] = /^VmHWM:\s+([0-9]+) kB$/m.exec(existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : '') ?? [];
  return kilobytes ?? String(process.resourceUsage().maxRSS);
}
