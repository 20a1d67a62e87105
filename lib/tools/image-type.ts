// Images that models can see, and the type of an image by its bytes: its name and a server's header prove nothing. An
// image that a vendor refuses would be refused again in each later request, so plainly broken ones are rejected here.

/** More bytes than this no vendor takes. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** As the end of a sentence. */
export const IMAGE_KINDS = 'PNG, JPEG, GIF or WebP';

const BEGINNINGS: readonly (readonly [mediaType: string, beginning: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
];

/** Undefined if it is none that a model can be shown. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return BEGINNINGS.find(([, pattern]) => pattern.test(beginning))?.[0];
}

/** Why no model is shown it, as the end of a sentence; undefined if it can be. */
export function imageProblem(bytes: Uint8Array): string | undefined {
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined) return `it is not a ${IMAGE_KINDS}`;
  if (bytes.length > MAX_IMAGE_BYTES) return `it has more than ${MAX_IMAGE_BYTES / 1024 / 1024} MiB`;
  return hasEnd(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), mediaType) ? undefined : 'it is cut off';
}

/** Ignores bytes that a program wrote after its end. */
function hasEnd(bytes: Buffer, mediaType: string): boolean {
  switch (mediaType) {
    case 'image/png':
      return bytes.includes('IHDR') && bytes.includes('IEND');
    case 'image/jpeg':
      return bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > 0;
    case 'image/gif':
      return bytes.lastIndexOf(';') > 12;
    default:
      return bytes.length >= 16 && bytes.readUInt32LE(4) + 8 <= bytes.length;
  }
}
