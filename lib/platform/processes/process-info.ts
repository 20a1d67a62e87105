// The only door to what this process is and which others run.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessInfo {
  readonly pid: number;
  readonly host: string;
  /**
   * The start of the machine and the space of process numbers that `pid` is of: hosts of equal name, and containers,
   * differ in it. Undefined where the system does not say.
   */
  readonly machine?: string | undefined;
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
    get machine() {
      return machineHere();
    },
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

function machineHere(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Not Linux, or /proc is hidden.
    return undefined;
  }
}
