// What bytes are, by looking at them: text that can be shown, or a file of a kind that its first bytes give away.
import { isUtf8 } from 'node:buffer';

const PROBE_BYTES = 8192;
/** Share of characters that may be broken in a text of an old encoding, or one that was cut. */
const MAX_BROKEN_SHARE = 0.2;

/** Whether bytes can be shown as text: UTF-8 that is not NUL for the most part, or nearly UTF-8 and without any. */
export function isText(bytes: Uint8Array): boolean {
  const probe = bytes.subarray(0, PROBE_BYTES);
  if (isUtf8(bytes)) return !isMostlyNul(probe);
  if (probe.includes(0)) return false;
  const text = new TextDecoder().decode(probe);
  const broken = text.split('\uFFFD').length - 1;
  return broken <= Math.max(3, text.length * MAX_BROKEN_SHARE);
}

/** Bytes in UTF-8, or nearly: broken ones show as U+FFFD, and a byte order mark stays. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

const SIGNATURES: readonly (readonly [name: string, latin1: string])[] = [
  ['PNG image', '\x89PNG'],
  ['JPEG image', '\xff\xd8\xff'],
  ['GIF image', 'GIF8'],
  ['PDF document', '%PDF'],
  ['ZIP archive', 'PK\x03\x04'],
  ['gzip data', '\x1f\x8b'],
  ['program', '\x7fELF'],
  ['SQLite database', 'SQLite format 3'],
  ['UTF-16 text', '\xff\xfe'],
  ['UTF-16 text', '\xfe\xff'],
];

/**
 * What bytes are by how they begin; undefined if that tells nothing.
 *
 * @example
 * kindOfBytes(readFileSync('logo.png')); // 'PNG image'
 */
export function kindOfBytes(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  if (beginning.startsWith('RIFF') && beginning.slice(8, 12) === 'WEBP') return 'WebP image';
  return SIGNATURES.find(([, signature]) => beginning.startsWith(signature))?.[0];
}

function isMostlyNul(bytes: Uint8Array): boolean {
  let nul = 0;
  for (const byte of bytes) if (byte === 0) nul += 1;
  return nul > bytes.length * MAX_BROKEN_SHARE;
}
