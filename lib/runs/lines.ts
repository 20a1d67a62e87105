// The lines that an agent prints, with a bound. Reads as fast as the lines are taken.
import type { Readable } from 'node:stream';
import { parseJson } from '../platform/json.ts';

const MAX_LINE_BYTES = 32 * 2 ** 20;
const LINE_FEED = 0x0a;

/** Ends with the stream, also where that breaks. `onOverflow`: called for a line that is too long; it is the last. */
export async function* linesOf(stream: Readable, onOverflow: () => void): AsyncGenerator<string, void, void> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...pieces, chunk.subarray(from, at)]).toString();
        pieces = [];
        bytes = 0;
        from = at + 1;
      }
      pieces.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > MAX_LINE_BYTES) {
        onOverflow();
        return;
      }
    }
  } catch {
    // The pipe was closed.
  }
  if (bytes > 0) yield Buffer.concat(pieces).toString();
}

/** The lines that are JSON, and the others as text. */
export async function* jsonLines(
  stream: Readable,
  events: { readonly onText: (line: string) => void; readonly onOverflow: () => void },
): AsyncGenerator<unknown, void, void> {
  for await (const line of linesOf(stream, events.onOverflow)) {
    const value = parseJson(line);
    if (value !== undefined) yield value;
    else if (line.trim() !== '') events.onText(line);
  }
}
