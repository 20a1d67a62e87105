// Preloaded into a process whose memory is measured: says at its end what its peak was, in kB. Plain JavaScript, because
// stripping types would be the larger part of what it measures.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

process.on('exit', () => writeFileSync(process.env.BENCH_PEAK, ownPeak()));

/** Of its own memory, where the system tells that: what it tells of a process has in it what the one held that started it. */
function ownPeak() {
  const [, kilobytes] = /^VmHWM:\s+([0-9]+) kB$/m.exec(existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : '') ?? [];
  return kilobytes ?? String(process.resourceUsage().maxRSS);
}
