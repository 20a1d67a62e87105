import fc from 'fast-check';
import { jsonPieces } from '../../lib/display/json-pieces.ts';

describe('JSON in pieces', () => {
  it('equals JSON.stringify with two spaces, for any value', () => {
    const any = fc.anything({ maxDepth: 6, withDate: true, withNullPrototype: true, withSparseArray: true });
    fc.assert(
      fc.property(any, (value) => {
        expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value, null, 2) ?? 'null');
      }),
      { numRuns: 1000 },
    );
  });

  it('has pieces of at most one item or 64 kB', () => {
    const items = Array.from({ length: 500 }, (_, number) => ({ number, text: 'x\n'.repeat(5_000) }));
    const pieces = [...jsonPieces({ view: { items } })];
    expect(pieces.join('')).toBe(JSON.stringify({ view: { items } }, null, 2));
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(64 * 1024 + 20_000);
  });
});
