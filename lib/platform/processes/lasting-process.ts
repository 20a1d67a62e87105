// A program that is talked to for as long as it runs: written to and read from through pipes. Everything else about how
// it is started is as in child-process.ts.
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { type ProcessGroup, type ProgramStart, startGroup } from './process-group.ts';
import { starting } from './start-failure.ts';

export interface LastingProcess extends ProcessGroup {
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
}

/** @throws StartFailure */
export function startLasting(start: ProgramStart): Promise<LastingProcess> {
  return starting(start, async () => {
    const nothing = openSync('/dev/null', 'r+');
    try {
      const { child, group } = await startGroup(start, ['pipe', 'pipe', 'pipe'], nothing);
      const { stdin, stdout, stderr } = child;
      // A program that does not read its input is not a failure of ollm.
      for (const stream of [stdin, stdout, stderr]) stream!.on('error', () => undefined);
      return { ...group, input: stdin!, output: stdout!, errors: stderr! };
    } finally {
      closeSync(nothing);
    }
  });
}
