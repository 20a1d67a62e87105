// Where the members of a line are found, against the same grammar written as a regular expression. The checksum, the
// last 28 bytes, is checked elsewhere.
import fc from 'fast-check';
import { headOf, prevIn, tailOf } from '../../../lib/journal/line/envelope.ts';

const GRAMMAR =
  /^\{"seq":(0|[1-9]\d{0,14}),"ts":".{23}Z","type":"([a-z.-]+)"(?:,"turn":([1-9]\d{0,14}))?(?:,"id":("(?:[^"\\]|\\.)*"))?(,"ignorable":true)?,"data":(\{.*\}),"prev":"([0-9a-f]{16})".{28}$/s;
/** `{"seq":0,"ts":"…","type":"a.b","data":{}` and the two checksums: a shorter text is read as a whole. */
const SHORTEST = 64 + 54;

function byGrammar(line: string) {
  const found = GRAMMAR.exec(line);
  if (found === null || line.length < SHORTEST) return undefined;
  const [, seq, type, turn, id, ignorable, data, prev] = found;
  return {
    seq: Number(seq),
    type,
    turn: turn === undefined ? undefined : Number(turn),
    id,
    ignorable: ignorable !== undefined,
    data,
    prev,
  };
}

function byPosition(line: string, before: string) {
  const buffer = Buffer.from(before + line, 'latin1');
  const bytes = { buffer, start: before.length, stop: buffer.length };
  const found = headOf(bytes);
  if (found === null) return undefined;
  const [head, seq, _ts, type, turn, id, ignorable] = found;
  return {
    seq: Number(seq),
    type,
    turn: turn === undefined ? undefined : Number(turn),
    id,
    ignorable: ignorable !== undefined,
    data: line.slice(head.length - 1, -54),
    prev: prevIn(tailOf(bytes)),
  };
}

const digits = fc.stringMatching(/^[0-9a-f]{16}$/);
const numbers = fc.oneof(fc.nat(9), fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 16n }).map(String));
const pieces = fc.record({
  seq: numbers,
  ts: fc.constantFrom('2026-11-21T20:49:00.123Z', '2026-11-21T20:49:00.123+', '2026'),
  type: fc.constantFrom('a.b', 'message.added', 'a', '', 'A.b', 'a.b-c'),
  turn: fc.option(numbers),
  id: fc.option(fc.oneof(fc.constantFrom('', 'x', '\\"', '\\\\', '"', '\\'), fc.string({ unit: 'binary-ascii' }))),
  ignorable: fc.option(fc.constantFrom('true', 'false')),
  data: fc.oneof(
    fc.constantFrom('{}', '{"a":"}"}', '[]', '', '{'),
    fc.json().map((json) => `{"a":${json}}`),
  ),
  prev: fc.oneof(digits, fc.constant('0123456789ABCDEF')),
  xxh64: digits,
});

const lines = pieces.map(({ seq, ts, type, turn, id, ignorable, data, prev, xxh64 }) =>
  [
    `{"seq":${seq},"ts":"${ts}","type":"${type}"`,
    turn === null ? '' : `,"turn":${turn}`,
    id === null ? '' : `,"id":"${id}"`,
    ignorable === null ? '' : `,"ignorable":${ignorable}`,
    `,"data":${data},"prev":"${prev}","xxh64":"${xxh64}"}`,
  ].join(''),
);

describe('the members of a line', () => {
  it('are found at the places that the grammar of the format gives, and at no others', () => {
    fc.assert(
      fc.property(lines, fc.string({ unit: 'binary-ascii', maxLength: 5 }), (line, before) => {
        expect(byPosition(line, before)).toEqual(byGrammar(line));
      }),
      { numRuns: 2000 },
    );
  });

  it('are not found in a line with any byte of its frame changed', () => {
    const whole =
      '{"seq":12,"ts":"2026-11-21T20:49:00.123Z","type":"a.b","turn":3,"id":"k","ignorable":true,"data":{"a":1},"prev":"0123456789abcdef","xxh64":"0123456789abcdef"}';
    expect(byPosition(whole, '')).toMatchObject({ seq: 12, turn: 3, id: '"k"', ignorable: true, data: '{"a":1}' });
    for (let at = 0; at < whole.length; at += 1) {
      for (const byte of ['0', 'a', '"', '}', ' ', '\u0000', '\u00ff']) {
        const changed = whole.slice(0, at) + byte + whole.slice(at + 1);
        expect(byPosition(changed, '')).toEqual(byGrammar(changed));
      }
      // A line that is cut short.
      const beginning = whole.slice(0, at);
      expect(byPosition(beginning, '')).toEqual(byGrammar(beginning));
      const shorter = whole.slice(0, at) + whole.slice(at + 1);
      expect(byPosition(shorter, '')).toEqual(byGrammar(shorter));
    }
  });

  it('are found in the same way in a very long line', () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const line = `{"seq":9007199254740,"ts":"2026-11-21T20:49:00.123Z","type":"a.b","data":{"text":"${text}"},"prev":"0123456789abcdef","xxh64":"0123456789abcdef"}`;
    expect(byPosition(line, 'before')).toEqual(byGrammar(line));
  });
});
