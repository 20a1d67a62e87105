// Preloaded into a process whose memory is measured: says at its end what its peak was, in kB. Plain JavaScript, because
// stripping types would be the larger part of what it measures.
import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.OLLM_BENCH_PEAK, String(process.resourceUsage().maxRSS)));
