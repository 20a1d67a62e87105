// Fingerprints: two calls have the same one when name and arguments say the same, in whatever order their members stand;
// two outputs when they differ only in case, white space and figures. They find what is the same, and are no proof of it: who
// makes two texts with one fingerprint on purpose stops a turn that asks for both again and again, and nothing else.
import { checksumOfTexts, toHex } from '../journal/line/checksum.ts';

/** @throws TypeError, RangeError where the arguments are no JSON */
export function callSignature(name: string, args: unknown): string {
  return fingerprint(`${name}\n${JSON.stringify(inOrder(args)) ?? 'undefined'}`);
}

export function outputFingerprint(text: string): string {
  return fingerprint(text.toLowerCase().replace(/\s+/gu, ' ').replace(/\d+/gu, '0').trim());
}

/** Of texts as if they were one. They are not put together: an output is long, and would be copied for it. */
export function fingerprint(...texts: readonly string[]): string {
  return toHex(checksumOfTexts(texts));
}

/** The value with the members of each object in order of their names. What writes itself as JSON stays as it is. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  if ('toJSON' in value) return value;
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) put(ordered, name, inOrder((value as Record<string, unknown>)[name]));
  return ordered;
}

/** A member of any name: `__proto__` too, which a plain assignment would take for something else. */
function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true });
  else object[name] = value;
}
