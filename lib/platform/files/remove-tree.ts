// Removes a directory of ours with everything in it. Follows no link; harmless if it is gone.
import { rmSync } from 'node:fs';

export function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
