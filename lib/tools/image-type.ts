// Which images models can be shown, and what an image is by its first bytes: a name, or what a server says of it, proves
// nothing.

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
