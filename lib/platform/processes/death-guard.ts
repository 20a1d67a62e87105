// Ends a process group when this process is gone, however it went: a shell of a few hundred kilobytes waits at a pipe
// that only this process holds, and the kernel closes that when we are killed.
import { startLasting } from './lasting-process.ts';

// A group in the one spelling that dash, bash and BusyBox all understand.
const WAIT_THEN_KILL = 'read -r _; kill -KILL "-$1"';

/**
 * Guards the group. `release` before its number can belong to another group: when the group has ended.
 *
 * @throws StartFailure
 */
export async function guardGroup(group: number): Promise<{ release(): void }> {
  const guard = await startLasting({
    argv: ['/bin/sh', '-c', WAIT_THEN_KILL, 'ollm-guard', String(group)],
    cwd: '/',
    env: {},
  });
  guard.output.resume();
  guard.errors.resume();
  return { release: () => guard.signalGroup('SIGKILL') };
}
