import fc from 'fast-check';
import { gather } from '../../lib/exporters/gather.ts';

const BLOCK = 64 * 1024;

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }),
  fc.integer({ min: 60_000, max: 140_000 }).map((length) => 'é'.repeat(length / 2)),
  fc.integer({ min: 60_000, max: 140_000 }).map((length) => new Uint8Array(length).fill(length % 256)),
);

const whole = (pieces: readonly (string | Uint8Array)[]) =>
  Buffer.concat(pieces.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));

/** A group with all pieces, between two that hold nothing. */
async function* inGroups(...groups: readonly Iterable<string | Uint8Array>[]) {
  yield [];
  yield* groups;
  yield [''];
}

describe('gathering the pieces of an export', () => {
  it('keeps every byte in its order, in full blocks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        const blocks = await Array.fromAsync(gather(inGroups(pieces)));
        const all = whole(pieces);
        expect(Buffer.concat(blocks).equals(all)).toBe(true);
        // The bytes of a character are not parted, so that up to three of a block may stay empty.
        expect(blocks.slice(0, -1).filter(({ length }) => length < BLOCK - 3)).toEqual([]);
      }),
    );
  });

  it('keeps every byte for readers that finish a block before they pull the next one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        const copies: Uint8Array[] = [];
        const places = new Set<ArrayBufferLike>();
        for await (const block of gather(inGroups(pieces), { transient: true })) {
          copies.push(Uint8Array.from(block));
          places.add(block.buffer);
        }
        expect(Buffer.concat(copies).equals(whole(pieces))).toBe(true);
        expect(places.size).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('divides no character between blocks, at any length', async () => {
    for (const character of ['é', '語', '🙂']) {
      for (const before of [BLOCK - 1, BLOCK - 2, BLOCK - 3, BLOCK - 4]) {
        const text = 'x'.repeat(before) + character.repeat(3);
        const blocks = await Array.fromAsync(gather(inGroups([text])));
        expect(blocks.map((block) => Buffer.from(block).toString()).join('')).toBe(text);
      }
    }
  });

  it('returns memory of its own, so that a piece may be reused immediately', async () => {
    const shared = new Uint8Array(100_000);
    function* pieces() {
      for (const length of [10, 100_000, 20]) {
        const part = shared.subarray(0, length).fill(length % 256);
        yield part;
        shared.fill(0);
      }
    }
    const blocks = await Array.fromAsync(gather(inGroups([], pieces())));
    const expected = Buffer.concat([Buffer.alloc(10, 10), Buffer.alloc(100_000, 160), Buffer.alloc(20, 20)]);
    expect(Buffer.concat(blocks).equals(expected)).toBe(true);
    expect(blocks.map(({ length }) => length)).toEqual([BLOCK, 100_030 - BLOCK]);
  });
});
