import fc from 'fast-check';
import { gather } from '../../lib/exporters/gather.ts';

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }),
  fc.integer({ min: 60_000, max: 140_000 }).map((length) => 'é'.repeat(length / 2)),
  fc.integer({ min: 60_000, max: 140_000 }).map((length) => new Uint8Array(length).fill(length % 256)),
);

describe('gathering the pieces of an export', () => {
  it('keeps every byte in its order, in few blocks', () => {
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const blocks = [...gather(pieces)];
        const all = Buffer.concat(pieces.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
        expect(Buffer.concat(blocks).equals(all)).toBe(true);
        expect(blocks.length).toBeLessThanOrEqual(2 * Math.ceil(all.length / 65_536) + 1);
      }),
    );
  });

  it('hands out memory of its own: a piece may be used again at once', () => {
    const shared = new Uint8Array(100_000);
    function* pieces() {
      for (const length of [10, 100_000, 20]) {
        const part = shared.subarray(0, length).fill(length % 256);
        yield part;
        shared.fill(0);
      }
    }
    const blocks = [...gather(pieces())];
    expect(blocks.map((block) => [block.length, block[0], block.at(-1)])).toEqual([
      [10, 10, 10],
      [100_000, 160, 160],
      [20, 20, 20],
    ]);
  });
});
