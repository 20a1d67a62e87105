// Ends a process group when this process is gone, however it went: a shell of a few hundred kilobytes waits at a pipe
// that only this process holds, and the kernel closes that when we are killed. Processes that left the group are found
// by their mark, on Linux.
import { startLasting } from './lasting-process.ts';

// A group in the one spelling that dash, bash and BusyBox all understand.
const WAIT_THEN_KILL = `read -r _; kill -KILL "-$1"
[ -n "$2" ] || exit
sweeps=0 found=1
while [ -n "$found" ] && [ $sweeps -lt 20 ]; do
  sweeps=$((sweeps + 1)) found=
  for environment in /proc/[0-9]*/environ; do
    tr '\\0' '\\n' 2>/dev/null <"$environment" | grep -qxF -- "$2" || continue
    process=\${environment#/proc/} found=1
    kill -KILL "\${process%/environ}"
  done
done`;

/**
 * Guards the group, and the processes whose environment has `mark`, as `NAME=value`. `release` before its number can
 * belong to another group: when the group has ended.
 *
 * @throws StartFailure
 */
export async function guardGroup(group: number, mark = ''): Promise<{ release(): void }> {
  const guard = await startLasting({
    argv: ['/bin/sh', '-c', WAIT_THEN_KILL, 'ollm-guard', String(group), mark],
    cwd: '/',
    env: {},
  });
  guard.output.resume();
  guard.errors.resume();
  return { release: () => guard.signalGroup('SIGKILL') };
}
