import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { checksum, checksumOfTexts, toHex } from '../../../lib/journal/line/checksum.ts';
import { plainXxh64 } from '../independent-reader.ts';

const hex = (bytes: Uint8Array) => toHex(checksum(bytes));

describe('checksum', () => {
  it('is XXH64 with seed 0', () => {
    expect(hex(Buffer.from(''))).toBe('ef46db3751d8e999');
    expect(hex(Buffer.from('a'))).toBe('d24ec4f1a98c6e5b');
    expect(hex(Buffer.from('Nobody inspects the spammish repetition'))).toBe('fbcea83c8a378bf1');
  });

  it('equals one that was written from the specification', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => hex(bytes) === plainXxh64(bytes)));
  });

  it('is the same for long input, which is hashed in slices', () => {
    const bytes = Buffer.alloc(2 * 1024 * 1024 + 77, 'long ');
    expect(hex(bytes)).toBe(plainXxh64(bytes));
  });

  it('of texts is that of their code units, however they are cut, short or longer than what is hashed at once', () => {
    const texts = fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 });
    // Around 512 Ki units, which have room at a time.
    const long = fc
      .constantFrom(0, 524_271, 524_287, 524_288, 524_289, 1_048_577)
      .map((length) => 'wide ж '.repeat(1 + length / 7).slice(0, length));
    fc.assert(
      fc.property(texts, long, texts, (before, middle, behind) => {
        const all = [...before, middle, ...behind];
        expect(checksumOfTexts(all)).toBe(checksum(Buffer.from(all.join(''), 'utf16le')));
      }),
      { numRuns: 100 },
    );
  });

  it('equals what xxh64sum prints', () => {
    const input = 'one line of a journal';
    const { stdout, error } = spawnSync('xxh64sum', { input, encoding: 'utf8' });
    if (error) return console.info('skipped: xxh64sum is not installed (Debian: apt-get install xxhash)');
    expect(stdout.slice(0, 16)).toBe(hex(Buffer.from(input)));
  });
});
