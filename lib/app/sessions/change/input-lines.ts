// Cuts the bytes of a pipe into numbered lines; those that arrived together form a batch. A line that is too long is
// skipped without being held in memory. The last line may end without a line feed.
import { LINE_FEED } from '../../../journal/format.ts';

export type EventInputLine =
  | { readonly kind: 'text'; readonly line: number; readonly bytes: Uint8Array }
  | { readonly kind: 'too-long'; readonly line: number };

interface InputLinesOptions {
  /** The limit of a line, without its line feed. */
  readonly maxBytes: number;
}

export async function* inputLines(
  input: AsyncIterable<Uint8Array>,
  { maxBytes }: InputLinesOptions,
): AsyncGenerator<readonly EventInputLine[], void, void> {
  let line = 1;
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const take = (end: Uint8Array): EventInputLine => {
    const bytes = heldBytes + end.length;
    const taken: EventInputLine =
      bytes > maxBytes
        ? { kind: 'too-long', line }
        : { kind: 'text', line, bytes: held.length === 0 ? end : Buffer.concat([...held, end]) };
    line += 1;
    held = [];
    heldBytes = 0;
    return taken;
  };

  for await (const chunk of input) {
    const batch: EventInputLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      batch.push(take(chunk.subarray(start, end)));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    heldBytes += rest.length;
    if (heldBytes <= maxBytes) held.push(rest);
    else held = [];
    if (batch.length > 0) yield batch;
  }
  if (heldBytes > 0) yield [take(new Uint8Array())];
}
