// Memory of the server's process at rest. V8 lets the space for new objects grow, up to 64 MB for each thread, with
// all that ever outlived a collection, such as what a thousand clients keep, and seldom lets it shrink again. A server
// lives long and mostly waits, so this space stays as small as it begins.
import { setFlagsFromString } from 'node:v8';

/** A setting of the whole process: for programs, not for a library. */
export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  // Threads that parse and search begin with more.
  setFlagsFromString('--min-semi-space-size=4');
}
