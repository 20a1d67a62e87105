import fc from 'fast-check';
import { textAt } from '../../../lib/journal/line/codec.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

describe('bytes as text', () => {
  it('give the written text, in any script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(3), (text, before) => {
        const bytes = Buffer.concat([Buffer.alloc(before, 0xff), Buffer.from(text), Buffer.alloc(2, 0xff)]);
        expect(textAt(bytes, before, bytes.length - 2)).toBe(text);
      }),
    );
    for (const text of ['\ufeffmark', 'a real \ufffd', ''])
      expect(textAt(Buffer.from(text), 0, Buffer.byteLength(text))).toBe(text);
  });

  it('are refused exactly if they are not UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const outcome = (decode: () => string) => {
          try {
            return decode();
          } catch {
            return undefined;
          }
        };
        expect(outcome(() => textAt(Buffer.from(bytes), 0, bytes.length))).toBe(outcome(() => strict.decode(bytes)));
      }),
      { numRuns: 1000 },
    );
  });
});
