// The only door to what this process is and which others run.
import { hostname } from 'node:os';

export interface ProcessInfo {
  readonly pid: number;
  readonly host: string;
  /** What this process was started as, for people: “ollm repl”. */
  readonly command: string;
  /** Our user id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** Whether a process of this number runs on this host. */
  isAlive(pid: number): boolean;
}

/** This process, named `command` for processes that meet its lock. */
export function thisProcess(command: string): ProcessInfo {
  return {
    pid: process.pid,
    host: hostname(),
    command,
    uid: process.getuid?.(),
    isAlive(pid) {
      try {
        process.kill(pid, 0);
        return true;
      } catch (error) {
        return (error as { code?: string }).code === 'EPERM';
      }
    },
  };
}
