import fc from 'fast-check';
import { imageSizeOf } from '../../lib/tools/image-size.ts';

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the size of an image', () => {
  it.each([
    ['a PNG', PNG, { width: 1, height: 1 }],
    ['a GIF', bytes('GIF89a', [0x40, 0x01, 0xc8, 0x00], [0, 0]), { width: 320, height: 200 }],
    [
      'a JPEG behind its other segments',
      bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 64, 3]),
      { width: 320, height: 200 },
    ],
    [
      'a WebP with losses',
      bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xc8, 0x00]),
      { width: 320, height: 200 },
    ],
    [
      'a WebP without losses',
      bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8L', [0, 0, 0, 0, 0x2f, 0x3f, 0xc1, 0x31, 0x00], new Array(8).fill(0)),
      { width: 320, height: 200 },
    ],
    [
      'a WebP with a canvas',
      bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0x01, 0, 0xc7, 0, 0]),
      { width: 320, height: 200 },
    ],
    ['a PNG that is cut off', PNG.subarray(0, 20), undefined],
    ['a PNG of no width', bytes(PNG.subarray(0, 16).toString('latin1'), [0, 0, 0, 0, 0, 0, 0, 1]), undefined],
    ['text', Buffer.from('walnut'), undefined],
    ['nothing', Buffer.alloc(0), undefined],
  ])('is read from its header: %s', (_, image, size) => {
    expect(imageSizeOf(image)).toEqual(size);
  });

  it('is found or missing for any bytes, without an error', () => {
    const beginnings = fc.constantFrom(
      '\x89PNG',
      'GIF8',
      '\xff\xd8\xff',
      'RIFF\0\0\0\0WEBPVP8L',
      'RIFF\0\0\0\0WEBPVP8X',
    );
    fc.assert(
      fc.property(beginnings, fc.uint8Array({ maxLength: 80 }), (beginning, rest) => {
        const size = imageSizeOf(bytes(beginning, [...rest]));
        expect(size === undefined || (size.width > 0 && size.height > 0)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
