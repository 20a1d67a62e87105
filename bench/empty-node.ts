// The floor of every start, in milliseconds: Node with nothing to do.
import { spawnSync } from 'node:child_process';

export function emptyNode(): number {
  const started = performance.now();
  spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  return performance.now() - started;
}
