// Pipes for the standard streams of a program. Node would use sockets, which look the same until a script writes `>
// /dev/stderr` or reads /dev/stdin: a socket cannot be opened by its name, a pipe and a file can. And only through one
// pipe for both do standard output and standard error stay in the order in which they were written.
import { spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { temporaryDirectory } from './temporary-directory.ts';

const PREFIX = 'ollm-streams-';

/** Two descriptors, to be closed by the caller. None reaches a child unless it is handed over. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/**
 * Opens pipes that have no name any more, so that no other process can open them.
 *
 * @throws the error of the system, as an Error
 */
export async function openPipes(count: number): Promise<readonly Pipe[]> {
  const pipes: Pipe[] = [];
  try {
    while (pipes.length < count) pipes.push(await openPipe());
    return pipes;
  } catch (error) {
    for (const { readEnd, writeEnd } of pipes) {
      closeSync(readEnd);
      closeSync(writeEnd);
    }
    throw error;
  }
}

async function openPipe(): Promise<Pipe> {
  const folder = mkdtempSync(join(temporaryDirectory(), PREFIX));
  try {
    const path = join(folder, 'pipe');
    await makeNamedPipe(path);
    // Opening one end waits for the other: the first may not, and gives way to one that reads as usual.
    const first = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return { writeEnd: openSync(path, constants.O_WRONLY), readEnd: openSync(path, constants.O_RDONLY) };
    } finally {
      closeSync(first);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A descriptor from which `content` can be read, of a file that has no name any more; the caller closes it.
 *
 * @throws the error of the system, as an Error
 */
export function openContent(content: string | Uint8Array): number {
  const folder = mkdtempSync(join(temporaryDirectory(), PREFIX));
  try {
    const path = join(folder, 'input');
    writeFileSync(path, content, { mode: 0o600 });
    return openSync(path, constants.O_RDONLY);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until nothing holds the other end of any of these streams. */
export async function untilClosed(streams: readonly Readable[]): Promise<void> {
  await Promise.all(streams.map((stream) => stream.closed || new Promise((done) => stream.once('close', done))));
}

/** Node has no call for it. */
function makeNamedPipe(path: string): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn('mkfifo', ['-m', '600', path], {
      env: { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' },
      stdio: 'ignore',
    });
    child.once('error', fail);
    child.once('exit', (code) =>
      code === 0 ? done() : fail(new Error(`no pipe could be made in ${temporaryDirectory()}`)),
    );
  });
}
