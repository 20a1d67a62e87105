// A program that is talked to for as long as it runs: written to and read from through pipes. Everything else about how it
// is started is as in child-process.ts.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { coveredDescriptors, type ProcessExit, StartFailure, sendSignal } from './child-process.ts';

export interface LastingRequest {
  /** The first is the path of the program: see findProgram. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface LastingProcess {
  /** Also the number of its process group. */
  readonly pid: number;
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
  /** Resolves when the program itself has ended; what it started may still run, and hold its output open. */
  readonly exited: Promise<ProcessExit>;
  /** Sends a signal to everything in its process group. Nothing happens if nobody is left in it. */
  signalGroup(signal: NodeJS.Signals): void;
}

/** @throws StartFailure */
export async function startLasting({ argv, cwd, env }: LastingRequest): Promise<LastingProcess> {
  const [program, ...args] = argv;
  if (!isAbsolute(program)) throw new StartFailure(`${program} is not an absolute path of a program.`);
  const nothing = openSync('/dev/null', 'r+');
  try {
    const child = spawn(program, args, {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...coveredDescriptors(nothing)],
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    const exited = new Promise<ProcessExit>((tell) => {
      child.once('exit', (code, signal) => tell({ exitCode: code ?? undefined, killedBy: signal ?? undefined }));
    });
    await new Promise<void>((started, fail) => {
      child.once('spawn', started);
      child.once('error', fail);
    });
    // Neither a signal that could not be sent nor a program that does not read is a failure of ours.
    for (const each of [child, child.stdin, child.stdout, child.stderr]) each.on('error', () => undefined);
    const { stdin: input, stdout: output, stderr: errors } = child;
    const pid = child.pid!;
    return { pid, input, output, errors, exited, signalGroup: (signal) => sendSignal(-pid, signal) };
  } catch (error) {
    throw new StartFailure(`${program} cannot be started: ${(error as Error).message}.`, { cause: error });
  } finally {
    closeSync(nothing);
  }
}
