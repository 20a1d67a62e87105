import fc from 'fast-check';
import { createOutputBuffer } from '../../lib/tools/output-buffer.ts';

it('an output is kept from its beginning up to the limit, in any pieces, and the rest is counted', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 9_000 }), { maxLength: 20 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 60_000 }), (chunks, maxBytes) => {
      const buffer = createOutputBuffer(maxBytes);
      const fitted = chunks.map((chunk) => buffer.add(chunk));
      const all = Buffer.concat(chunks);
      expect(Buffer.compare(buffer.bytes(), all.subarray(0, maxBytes))).toBe(0);
      expect(buffer.omittedBytes).toBe(Math.max(0, all.length - maxBytes));
      expect(fitted.at(-1) ?? true).toBe(all.length <= maxBytes);
    }),
    { numRuns: 200 },
  );
});

it('bytes that were taken from the buffer do not change with later ones', () => {
  const buffer = createOutputBuffer(10);
  buffer.add(Buffer.from('abc'));
  const taken = buffer.bytes();
  buffer.add(Buffer.from('defghijklmn'));
  expect(Buffer.from(taken).toString()).toBe('abc');
  expect(Buffer.from(buffer.bytes()).toString()).toBe('abcdefghij');
});
