// The lines of an input that is not a terminal. A line ends only at LF (a CR before it is dropped too): the other
// characters that some take for line ends belong to the text. Reads no further than asked.
import { StringDecoder } from 'node:string_decoder';

export async function* pipedLines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
    let from = 0;
    for (let lineEnd = text.indexOf('\n'); lineEnd !== -1; lineEnd = text.indexOf('\n', from)) {
      pieces.push(text.slice(from, lineEnd));
      yield withoutReturn(pieces.join(''));
      pieces = [];
      from = lineEnd + 1;
    }
    pieces.push(text.slice(from));
  }
  const last = pieces.join('') + decoder.end();
  if (last !== '') yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
