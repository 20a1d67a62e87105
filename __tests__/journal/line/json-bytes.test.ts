import fc from 'fast-check';
import { JsonBytes } from '../../../lib/journal/line/json-bytes.ts';
import { toJson } from '../../../lib/journal/line/line-buffer.ts';

const LONG = 'A line with "quotes", a \\ and an end.\n'.repeat(50);

const texts = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 90 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `${LONG}${text}`),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    tie('object'),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
  object: fc.dictionary(
    fc.oneof(texts, fc.constantFrom('text', '__proto__', '')),
    fc.oneof(tie('value'), fc.constant(undefined)),
    {
      maxKeys: 5,
      noNullPrototype: false,
    },
  ),
})).object as fc.Arbitrary<object>;

describe('data as bytes of JSON', () => {
  it('are the same as its JSON as text has', () => {
    const bytes = new JsonBytes();
    fc.assert(
      fc.property(values, (data) => {
        expect(bytes.of(data).equals(Buffer.from(toJson(data)))).toBe(true);
        bytes.clear();
      }),
      { numRuns: 300 },
    );
  });

  it('stay as they are until they are cleared, however much comes behind them', () => {
    const bytes = new JsonBytes();
    const made = Array.from({ length: 300 }, (_, number) => {
      const data = { number, text: LONG.repeat(1 + (number % 7)) };
      return { data, json: bytes.of(data) };
    });
    for (const { data, json } of made) expect(json.toString()).toBe(toJson(data));
    bytes.clear();
    expect(bytes.of({ text: LONG }).toString()).toBe(toJson({ text: LONG }));
  });

  it('are made as ever behind data that could not be read to its end', () => {
    const bytes = new JsonBytes();
    const broken = {
      text: LONG,
      get other(): string {
        throw new Error('not now');
      },
    };
    expect(() => bytes.of(broken)).toThrow('not now');
    expect(bytes.of({ text: LONG }).toString()).toBe(toJson({ text: LONG }));
  });

  it('are made of members with ever new names', () => {
    const bytes = new JsonBytes();
    for (let number = 0; number < 2000; number += 1) {
      const data = { [`name ${number}`]: number, [`"${number}\n`]: LONG };
      expect(bytes.of(data).toString()).toBe(toJson(data));
      bytes.clear();
    }
  });
});
