import fc from 'fast-check';
import { checksum } from '../../../lib/journal/line/checksum.ts';
import { linesInside } from '../../../lib/journal/reading/lines-inside.ts';

/** A line as a writer writes it. */
function lineOf(seq: number, data: string): string {
  const text = `{"seq":${seq},"ts":"2026-11-21T20:49:00.123Z","type":"a.b","data":${data},"prev":"0123456789abcdef"`;
  return `${text},"xxh64":"${checksum(Buffer.from(text))}"}`;
}

/** The numbers of the lines that are found in a bad one. */
function found(bytes: Buffer | string, terminated = true): number[] {
  const buffer = Buffer.from(bytes as string);
  const span = { buffer, start: 0, stop: buffer.length, offset: 0, end: buffer.length };
  const steps = linesInside({ ...span, length: buffer.length, terminated });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value.map(({ event }) => event.seq);
  }
}

const START = '{"seq":61,"ts":"2026-11-21T20:49:00.123Z","type":"a.b"';
const piece = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  'x',
  '\0',
  '{"seq":',
  ',"xxh64":"0123456789abcdef"}',
);
const garbage = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary-ascii' }),
);
const line = fc
  .tuple(fc.nat(1000), fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })))
  .map(([seq, data]) => ({ seq, text: lineOf(seq, JSON.stringify(data)) }));

describe('a whole line inside a bad one', () => {
  it('is found at the beginning of the bad one, with any bytes after it', () => {
    fc.assert(
      fc.property(line, garbage, ({ seq, text }, after) => {
        expect(found(text + after)).toContain(seq);
      }),
      { numRuns: 300 },
    );
  });

  it('is found at the end of the bad one, with any bytes before it', () => {
    fc.assert(
      fc.property(line, garbage, ({ seq, text }, before) => {
        expect(found(before + text)).toContain(seq);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['garbage that begins with a closing brace', `${lineOf(3, '{}')}}`, [3]],
    ['a block of a later line, cut after a comma', `${START},${lineOf(0, '{}')}`, [0]],
    ['a later line that was torn after a name', `${START},"data":${lineOf(62, '{}')}`, [62]],
    ['a second whole line, and a comma', `${lineOf(3, '{}')}${lineOf(4, '{}')},`, [3, 4]],
  ])('is found next to %s', (_, text, numbers) => expect(found(text)).toEqual(numbers));
});

describe('a copy of a line in the data of a different line', () => {
  const copy = lineOf(2, '{"text":"x"}');
  const outers = [
    `{"copy":${copy}}`,
    `{"a":1,"copy":${copy},"b":2}`,
    `{"a":[${copy}]}`,
    `{"a":[1,${copy},${copy},2]}`,
    `{"a":[[${copy}]]}`,
    copy,
  ];

  it.each(outers)('is not an event, whichever bit around it is flipped: %s', (data) => {
    const text = lineOf(9, data);
    expect(found(text)).toEqual([9]);
    for (let at = 0; at < text.length; at += 1) {
      while (text.startsWith(copy, at)) at += copy.length;
      for (let bit = 0; bit < 8; bit += 1) {
        const bytes = Buffer.from(text);
        bytes[at]! ^= 1 << bit;
        if (bytes[at] === 0x0a) continue;
        expect({ at, bit, found: found(bytes) }).toEqual({ at, bit, found: [] });
      }
    }
  });

  it.each(outers)('is not an event, wherever the line is cut: %s', (data) => {
    const text = lineOf(9, data);
    for (let length = 1; length < text.length; length += 1) {
      for (const terminated of [true, false]) {
        expect({ length, found: found(text.slice(0, length), terminated) }).toEqual({ length, found: [] });
      }
    }
  });
});
