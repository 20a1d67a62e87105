// A program that is talked to for as long as it runs: written to and read from through pipes. Everything else about how
// it is started is as in child-process.ts.
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { openContent } from './pipes.ts';
import { type ProcessGroup, type ProgramStart, startGroup } from './process-group.ts';
import { starting } from './start-failure.ts';

export interface LastingProcess extends ProcessGroup {
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
}

interface LastingStart extends ProgramStart {
  /** The contents of its descriptors 3 and up. Default: it has none. */
  readonly inherited?: readonly Uint8Array[] | undefined;
}

/** @throws StartFailure */
export function startLasting(start: LastingStart): Promise<LastingProcess> {
  return starting(start, async () => {
    const ours = [openSync('/dev/null', 'r+')];
    try {
      for (const content of start.inherited ?? []) ours.push(openContent(content));
      const [nothing, ...inherited] = ours as [number, ...number[]];
      const { child, group } = await startGroup(start, ['pipe', 'pipe', 'pipe', ...inherited], nothing);
      const { stdin, stdout, stderr } = child;
      // A program that does not read its input is not a failure of ollm.
      for (const stream of [stdin, stdout, stderr]) stream!.on('error', () => undefined);
      return { ...group, input: stdin!, output: stdout!, errors: stderr! };
    } finally {
      for (const descriptor of ours) closeSync(descriptor);
    }
  });
}
