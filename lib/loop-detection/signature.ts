// Fingerprints: two calls have the same one when name and arguments are the same JSON, in whatever order their members
// are; two short answers when they differ only in case, white space and numbers.
import { hash } from 'node:crypto';

/** @throws TypeError, RangeError if the arguments are not JSON */
export function callSignature(name: string, args: unknown): string {
  return fingerprint(`${name}\n${JSON.stringify(inOrder(args)) ?? 'undefined'}`);
}

export function outputFingerprint(text: string): string {
  return fingerprint(text.toLowerCase().replace(/\s+/gu, ' ').replace(/\d+/gu, '0').trim());
}

/** 64 bits, as 16 hex digits. */
export function fingerprint(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

/** The value with the members of each object sorted by name. A value with a `toJSON` of its own stays as it is. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  if ('toJSON' in value) return value;
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) put(ordered, name, inOrder((value as Record<string, unknown>)[name]));
  return ordered;
}

/** Sets a member of any name: a plain assignment to `__proto__` would set the prototype. */
function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true });
  else object[name] = value;
}
