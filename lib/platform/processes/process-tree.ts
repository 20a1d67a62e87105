// Finds the processes that descend from one start, also those that left its group and session: each inherits a variable
// of the environment that no other process has. Only Linux shows the environment of other processes; elsewhere nothing
// is found.
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The processes of this user whose environment has `mark`, as `NAME=value`. A process that cleared its environment is
 * not found, nor is one of another user.
 */
export function processesMarked(mark: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(`\0${mark}\0`))
    .map(Number);
}

/**
 * The marked processes whose parent is the marked one with `program` in its command line; undefined where no process
 * has it.
 */
export function startedBy(program: string, mark: string): readonly number[] | undefined {
  const marked = processesMarked(mark);
  const starters = marked.filter((pid) => fileOf(pid, 'cmdline').split('\0').includes(program));
  if (starters.length === 0) return undefined;
  // After the name, which is in parentheses, come the state and the parent.
  const parentOf = (pid: number) => Number(/\) \S (\d+) [^)]*$/.exec(fileOf(pid, 'stat'))?.[1]);
  return marked.filter((pid) => starters.includes(parentOf(pid)));
}

/** Entries between NULs; empty for a process that is gone, or belongs to another user. */
function environmentOf(pid: string): string {
  const entries = fileOf(pid, 'environ');
  return entries === '' ? '' : `\0${entries}`;
}

function fileOf(pid: string | number, name: 'environ' | 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** How many processes and threads this user may have at most, as far as the system tells; else Infinity. */
export function maxProcesses(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  const hard = /^Max processes +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}
