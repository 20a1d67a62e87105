import fc from 'fast-check';
import { pipedLines } from '../../../lib/repl/input/piped-lines.ts';

async function linesOf(chunks: readonly (string | Uint8Array)[]): Promise<string[]> {
  async function* input() {
    yield* chunks;
  }
  const lines: string[] = [];
  for await (const line of pipedLines(input())) lines.push(line);
  return lines;
}

describe('lines from a pipe', () => {
  it('end only at LF, with or without a CR', async () => {
    expect(await linesOf(['one\r\ntwo\u2028still\x85two\n\nthree'])).toEqual([
      'one',
      'two\u2028still\x85two',
      '',
      'three',
    ]);
  });

  it('are equal wherever the bytes were cut, also in the middle of a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (text, size) => {
          const bytes = Buffer.from(text);
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          );
          expect(await linesOf(chunks)).toEqual(await linesOf([text]));
        },
      ),
    );
  });

  it('are none for an empty input', async () => {
    expect(await linesOf([])).toEqual([]);
  });
});
