// Prints the lines of a journal as they are stored.
import type { JournalWriter } from '../journal/types.ts';
import type { Shell } from './shell.ts';

export interface EventPrinter {
  /** Resolves when all stored events are printed. @throws the errors of printing */
  printed(): Promise<unknown>;
  /** Waits for the last and stops. @throws the same */
  stop(): Promise<void>;
}

export function printEvents(shell: Shell, writer: Pick<JournalWriter, 'subscribe'>): EventPrinter {
  let printed: Promise<unknown> = Promise.resolve();
  const unsubscribe = writer.subscribe((events) => {
    const lines = Buffer.concat(events.flatMap(({ raw }) => [raw, Buffer.from('\n')]));
    printed = printed.then(() => shell.output.data(lines));
    // A failure is reported where it is awaited; unhandled at this moment, it would end the program.
    printed.catch(() => {});
  });
  return {
    printed: () => printed,
    async stop() {
      unsubscribe();
      await printed;
    },
  };
}
