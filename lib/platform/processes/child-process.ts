// The only door to other programs. One is started without a shell, from an absolute path, with an argument vector, in
// the environment and directory that are named, in a session and process group of its own. It inherits nothing that it
// is not given: its standard input is closed or given, and no other descriptor of this process reaches it.
import { closeSync, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import { systemErrorCode } from '../../errors/index.ts';
import { openContent, openPipes, type Pipe } from './pipes.ts';
import { type ProcessGroup, type ProgramStart, startGroup } from './process-group.ts';
import { StartFailure, startFailureReason } from './start-failure.ts';

export interface ProcessRequest extends ProgramStart {
  /** What it reads on standard input. Default: nothing, closed. One that is talked to: lasting-process.ts. */
  readonly input?: string | undefined;
  /** What it reads from its descriptors 3 and up. Default: it has none. */
  readonly inherited?: readonly Uint8Array[] | undefined;
  /** `merged`: standard error comes with the output, in the order in which it was written. */
  readonly errors: 'merged' | 'apart';
  /** What an error calls it, where the program is behind another one. Default: the first of `argv`. */
  readonly name?: string | undefined;
}

/** A program that runs. */
export interface StartedProcess extends ProcessGroup {
  readonly output: Readable;
  /** Undefined where they come with the output. */
  readonly errors: Readable | undefined;
}

/**
 * Starts a program.
 *
 * @throws StartFailure if the directory is gone, the arguments cannot be given to it, or the system refuses
 */
export async function startProcess(request: ProcessRequest): Promise<StartedProcess> {
  const { argv, cwd, errors, name = argv[0] } = request;
  if (!isAbsolute(argv[0])) throw new StartFailure(`${name} is not an absolute path of a program.`);
  if (argv.some((argument) => argument.includes('\0')))
    throw new StartFailure(`An argument of ${name} holds a NUL character, which no program can be given.`);
  const cwdProblem = whyNotDirectory(cwd);
  if (cwdProblem) throw new StartFailure(`${name} cannot be started in ${cwd}: ${cwdProblem}.`);
  try {
    const [output, apart] = await openPipes(errors === 'apart' ? 2 : 1);
    return await spawnWith(request, output!, apart);
  } catch (error) {
    throw new StartFailure(`${name} cannot be started: ${startFailureReason(error)}.`, { cause: error });
  }
}

/** The child's ends are closed here in any case, ours too if it did not come to be. */
async function spawnWith(request: ProcessRequest, output: Pipe, apart: Pipe | undefined): Promise<StartedProcess> {
  const { input, inherited = [] } = request;
  const ours = endsOf(output.readEnd, apart?.readEnd);
  const theirs = endsOf(output.writeEnd, apart?.writeEnd);
  try {
    const nothing = openSync('/dev/null', 'r+');
    theirs.add(nothing);
    const source = input === undefined ? nothing : openContent(input);
    theirs.add(source);
    const streams = [source, output.writeEnd, apart?.writeEnd ?? output.writeEnd];
    for (const content of inherited) {
      const file = openContent(content);
      theirs.add(file);
      streams.push(file);
    }
    const { group } = await startGroup(request, streams, nothing);
    return { ...group, output: readableOf(output.readEnd), errors: apart && readableOf(apart.readEnd) };
  } catch (error) {
    for (const end of ours) closeSync(end);
    throw error;
  } finally {
    for (const end of theirs) closeSync(end);
  }
}

function endsOf(...ends: readonly (number | undefined)[]): Set<number> {
  return new Set(ends.filter((end) => end !== undefined));
}

function readableOf(descriptor: number): Readable {
  return new Socket({ fd: descriptor, readable: true, writable: false });
}

function whyNotDirectory(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'that is not a directory';
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? 'the directory is not there' : startFailureReason(error);
  }
}
