// Keeps a terminal from showing what is typed while a secret is asked for: from before the question stands there, because
// whoever reads it may answer at once. Where there is no stty, on Windows, whoever reads the answer hides it himself.
import { spawnSync } from 'node:child_process';

/** Runs `work` while the terminal on standard input shows nothing of what is typed; then it is as it was. */
export function withoutEcho<Result>(work: () => Result): Result {
  const before = stty('-g');
  if (before === undefined) return work();
  stty('-echo');
  try {
    return work();
  } finally {
    stty(before);
  }
}

function stty(argument: string): string | undefined {
  // Of the system alone: the question is asked wherever one stands.
  const { status, stdout } = spawnSync('stty', [argument], {
    env: { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' },
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}
