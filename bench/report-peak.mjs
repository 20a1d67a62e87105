// Preloaded into a process whose memory is measured: reports at its end its peak, in kB. Plain JavaScript, because
// stripping types would be the larger part of the measured memory.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The peak of the process itself; elsewhere than on Linux, of the resource usage, which begins with its parent's. */
const ownPeak = () =>
  existsSync('/proc/self/status')
    ? /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]
    : String(process.resourceUsage().maxRSS);

process.on('exit', () => writeFileSync(process.env.BENCH_PEAK, ownPeak()));
