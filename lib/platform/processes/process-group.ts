// Starts a program at the head of a session and process group of its own, so that a signal reaches everything that it
// started, and with no descriptor of this process except those that the caller passes.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { coveredDescriptors } from './covered-descriptors.ts';

/** The program to start, and its directory. */
export interface ProgramStart {
  /** The first is the absolute path of the program: see findProgram. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** All that it sees of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The name in errors, if the program is started by another one. Default: the first of `argv`. */
  readonly name?: string | undefined;
}

export interface ProcessExit {
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly killedBy: string | undefined;
}

/** The programs of a group, by the one that leads it. */
export interface ProcessGroup {
  /** The process id of the group's leader, and the number of the group. */
  readonly pid: number;
  /** Resolves when the program itself has ended; processes that it started may still run, and hold its output open. */
  readonly exited: Promise<ProcessExit>;
  /** Sends a signal to everything in its process group. Nothing happens if none is left in it. */
  signalGroup(signal: NodeJS.Signals): void;
}

/**
 * Starts it with `streams` as its descriptors 0, 1, 2 and up. `nothing`: a descriptor of /dev/null, which may be closed
 * when this is done.
 *
 * @throws the error of the system, as an Error
 */
export async function startGroup(
  { argv, cwd, env }: ProgramStart,
  streams: readonly ('pipe' | number)[],
  nothing: number,
): Promise<{ readonly child: ChildProcess; readonly group: ProcessGroup }> {
  const [program, ...args] = argv;
  const stdio: StdioOptions = [...streams, ...coveredDescriptors(nothing).slice(streams.length - 3)];
  const child = spawn(program, args, { cwd, env: { ...env }, detached: true, stdio });
  const exited = new Promise<ProcessExit>((tell) => {
    child.once('exit', (code, signal) => tell({ exitCode: code ?? undefined, killedBy: signal ?? undefined }));
  });
  await new Promise<void>((started, fail) => {
    child.once('spawn', started);
    child.once('error', fail);
  });
  // A signal that could not be sent is not a failure of the program.
  child.on('error', () => undefined);
  const pid = child.pid!;
  return { child, group: { pid, exited, signalGroup: (signal) => sendSignal(-pid, signal) } };
}

/** Sends a signal to a process, or to a group by its negative number; whether there was one to get it. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
