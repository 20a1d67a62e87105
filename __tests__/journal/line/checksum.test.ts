import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { checksum, RunningChecksum } from '../../../lib/journal/line/checksum.ts';
import { plainXxh64 } from '../independent-reader.ts';

describe('checksum', () => {
  it('is XXH64 with seed 0', () => {
    expect(checksum(Buffer.from(''))).toBe('ef46db3751d8e999');
    expect(checksum(Buffer.from('a'))).toBe('d24ec4f1a98c6e5b');
    expect(checksum(Buffer.from('Nobody inspects the spammish repetition'))).toBe('fbcea83c8a378bf1');
  });

  it('equals an implementation written from the specification', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => checksum(bytes) === plainXxh64(bytes)));
  });

  it('is equal for long input, which is hashed in slices', () => {
    const bytes = Buffer.alloc(2 * 1024 * 1024 + 77, 'long ');
    expect(checksum(bytes)).toBe(plainXxh64(bytes));
  });

  it('of bytes added piece by piece equals the checksum of all bytes, after each piece', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 8 });
    const long = fc.constantFrom(0, 1_048_575, 1_048_576, 1_048_577).map((length) => Buffer.alloc(length, 'wide ж '));
    fc.assert(
      fc.property(pieces, long, pieces, (before, middle, after) => {
        const running = new RunningChecksum();
        let all = Buffer.alloc(0);
        for (const piece of [...before, middle, ...after]) {
          all = Buffer.concat([all, piece]);
          expect(running.add(piece).digits).toBe(checksum(all));
        }
      }),
      { numRuns: 20 },
    );
  });

  it('equals what xxh64sum prints', () => {
    const input = 'one line of a journal';
    const { stdout, error } = spawnSync('xxh64sum', { input, encoding: 'utf8' });
    if (error) return console.info('skipped: xxh64sum is not installed (Debian: apt-get install xxhash)');
    expect(stdout.slice(0, 16)).toBe(checksum(Buffer.from(input)));
  });
});
