import { imageProblem, imageTypeOf, MAX_IMAGE_BYTES } from '../../lib/tools/image-type.ts';

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1');
const IMAGES: readonly (readonly [mediaType: string, whole: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\0IEND\xaeB`\x82'],
  ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF\0\xff\xd9'],
  ['image/gif', 'GIF89a\x01\0\x01\0\0\0\0;'],
  ['image/webp', 'RIFF\x0c\0\0\0WEBPVP8 \0\0\0\0'],
];

describe.each(IMAGES)('%s', (mediaType, whole) => {
  it('is recognized by its bytes, and shown whole, also with bytes after its end', () => {
    expect(imageTypeOf(bytes(whole))).toBe(mediaType);
    expect(imageProblem(bytes(whole))).toBeUndefined();
    expect(imageProblem(bytes(`${whole}\n`))).toBeUndefined();
  });

  it('is not shown if its end is missing, or if it is too large', () => {
    expect(imageProblem(bytes(whole.slice(0, -6)))).toBe('it is cut off');
    const large = Buffer.concat([bytes(whole), Buffer.alloc(MAX_IMAGE_BYTES)]);
    expect(imageProblem(large)).toBe('it has more than 5 MiB');
  });
});

it.each(['', '\x89PNG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'BM\0\0', '%PDF-1.7'])(
  '%j is not such an image',
  (text) => {
    expect(imageProblem(bytes(text))).toBe('it is not a PNG, JPEG, GIF or WebP');
  },
);
