// Memory for work that turns one long stream into another and keeps nothing of either. V8 makes room where it could collect:
// young objects get up to 64 MB, because some of them always live at the wrong moment; long texts that are old and dead wait
// until 64 MB of them have come together, the heap grows in steps of 8 MB, and the slower one of two optimizing compilers works
// in memory of its own on code that is fast enough. These rules make a program that keeps much faster, and this one only larger.
import { setFlagsFromString } from 'node:v8';

/** Read whenever V8 is about to make room or to compile, so that they hold from here on. */
const FLAGS = [
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=50',
  '--optimize-for-size',
  '--no-turbofan',
] as const;

/** For the rest of the process. Costs nothing that could be measured in a stream; work that keeps much is slowed down by it. */
export function collectEarly(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
