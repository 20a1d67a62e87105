// The keys that were typed before anything reads them: the terminal has echoed them, so that they would stand among the
// first lines. Their row is cleared, and the first reader gets them. While a session is opened the terminal stays as it
// was: a passphrase may be asked for, and Ctrl+C is a signal.
import { setImmediate } from 'node:timers/promises';

interface HoldKeysOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** False on a terminal that cannot move its cursor. */
  readonly movable: boolean;
}

/** From now on no key is echoed. Answers with how to give the terminal back as it was. */
export async function holdKeys({ input, output, movable }: HoldKeysOptions): Promise<() => void> {
  const wasRaw = input.isRaw;
  const held: Buffer[] = [];
  const hold = (chunk: Buffer | string) => void held.push(Buffer.from(chunk));
  // A terminal that closes is for the first reader to notice.
  input.on('error', () => {});
  input.setRawMode(true);
  input.on('data', hold);
  input.resume();
  // Typed input arrives in the next turn of the loop.
  for (let turn = 0; turn < 2; turn++) await setImmediate();
  input.off('data', hold);
  input.pause();
  if (held.length > 0) {
    output.write(movable ? '\r\x1b[K' : '\n');
    if (!input.readableEnded) input.unshift(Buffer.concat(held));
  }
  return () => {
    if (!input.destroyed) input.setRawMode(wasRaw);
  };
}
