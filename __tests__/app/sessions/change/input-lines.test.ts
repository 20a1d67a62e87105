import fc from 'fast-check';
import { inputLines } from '../../../../lib/app/sessions/change/input-lines.ts';

async function linesOf(chunks: readonly Uint8Array[], maxBytes = 1000) {
  async function* input() {
    yield* chunks;
  }
  const batches: { line: number; text: string | undefined }[][] = [];
  for await (const batch of inputLines(input(), { maxBytes })) {
    batches.push(
      batch.map((entry) => ({
        line: entry.line,
        text: entry.kind === 'text' ? Buffer.from(entry.bytes).toString('utf8') : undefined,
      })),
    );
  }
  return batches;
}

/** The bytes in pieces that begin anywhere, also inside a character. */
function cut(text: string, places: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

describe('lines of standard input', () => {
  it('are equal in any chunks, with or without a line feed at the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'ä', '\u2028', '\r', ' ') }), { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.boolean(),
        async (lines, places, ends) => {
          const text = lines.join('\n') + (ends && lines.length > 0 ? '\n' : '');
          const expected = text.split('\n');
          if (expected.at(-1) === '') expected.pop();
          const found = (await linesOf(cut(text, places))).flat();
          expect(found).toEqual(expected.map((line, index) => ({ line: index + 1, text: line })));
        },
      ),
    );
  });

  it('that arrive together come in one batch', async () => {
    expect(await linesOf([Buffer.from('a\nb\nc'), Buffer.from('d\n')])).toEqual([
      [
        { line: 1, text: 'a' },
        { line: 2, text: 'b' },
      ],
      [{ line: 3, text: 'cd' }],
    ]);
  });

  it('that are too long are skipped by their number, and those at the limit are not', async () => {
    const chunks = ['x'.repeat(6), 'x'.repeat(6), '\n', 'y'.repeat(10), '\nz'].map((text) => Buffer.from(text));
    expect((await linesOf(chunks, 10)).flat()).toEqual([
      { line: 1, text: undefined },
      { line: 2, text: 'y'.repeat(10) },
      { line: 3, text: 'z' },
    ]);
  });
});
