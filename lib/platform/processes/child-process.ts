// The only door to other programs. One is started without a shell, from an absolute path, with an argument vector, in
// the environment and directory that are named, in a session and process group of its own. It inherits nothing that it
// is not given: its standard input is closed or given, and no other descriptor of this process reaches it.
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { openContent, openPipes, type Pipe } from './pipes.ts';
import { type ProcessGroup, type ProgramStart, startGroup } from './process-group.ts';
import { starting } from './start-failure.ts';

interface ProcessRequest extends ProgramStart {
  /** Bytes for its standard input. Default: none, closed. For a program with a dialogue: lasting-process.ts. */
  readonly input?: string | undefined;
  /** Bytes for its descriptors 3 and up. Default: none. */
  readonly inherited?: readonly Uint8Array[] | undefined;
  /** `merged`: standard error comes with the output, in the order in which it was written. */
  readonly errors: 'merged' | 'apart';
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
  return starting(request, async () => {
    const [output, apart] = await openPipes(request.errors === 'apart' ? 2 : 1);
    return spawnWith(request, output!, apart);
  });
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
