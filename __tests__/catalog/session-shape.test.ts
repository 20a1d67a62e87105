// A picture of a session in at most 22 bytes, however long the session is.
import fc from 'fast-check';
import { addToShape, bytesOfShape, noShape } from '../../lib/catalog/session-shape.ts';

/** The bit of each kind of event in the byte of a bar. */
const MARK_BITS = { prompt: 0x20, failure: 0x40, compaction: 0x80 } as const;

const shapeOf = (entries: readonly (readonly [number, keyof typeof MARK_BITS | undefined])[]) => {
  const shape = noShape();
  for (const [tokens, mark] of entries) addToShape(shape, tokens, mark);
  return shape;
};
const entries = fc.array(
  fc.tuple(fc.nat(100_000), fc.constantFrom(undefined, 'prompt' as const, 'failure' as const, 'compaction' as const)),
  { maxLength: 400 },
);

describe('the shape of a session', () => {
  it('has a bar for each entry of a short session: height by the square root, and the kinds of content', () => {
    const bytes = bytesOfShape(
      shapeOf([
        [100, 'prompt'],
        [400, undefined],
        [0, 'failure'],
        [25, 'compaction'],
      ]),
    );
    expect([...bytes]).toEqual([16 | 0x20, 31, 0x40, 8 | 0x80]);
    expect(bytesOfShape(noShape())).toHaveLength(0);
  });

  it('has at most 22 bars, one of full height, and loses neither tokens nor marks', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const shape = shapeOf(all);
        const bytes = bytesOfShape(shape);
        expect(bytes.length).toBeLessThanOrEqual(22);
        expect(bytes.length).toBeGreaterThanOrEqual(Math.min(all.length, 11));
        expect(shape.tokens.reduce((sum, tokens) => sum + tokens, 0)).toBe(
          all.reduce((sum, [tokens]) => sum + tokens, 0),
        );
        for (const [mark, bit] of Object.entries(MARK_BITS)) {
          expect(bytes.some((byte) => (byte & bit) !== 0)).toBe(all.some(([, its]) => its === mark));
        }
        if (all.some(([tokens]) => tokens > 0)) expect(Math.max(...bytes.map((byte) => byte & 0x1f))).toBe(31);
      }),
      { numRuns: 200 },
    );
  });

  it('is equal when its state was saved and continued', () => {
    fc.assert(
      fc.property(entries, fc.nat(400), (all, cut) => {
        const shape = JSON.parse(JSON.stringify(shapeOf(all.slice(0, cut))));
        for (const [tokens, mark] of all.slice(cut)) addToShape(shape, tokens, mark);
        expect(bytesOfShape(shape)).toEqual(bytesOfShape(shapeOf(all)));
      }),
    );
  });
});
