// Fingerprints: two calls have the same one when name and arguments say the same, in whatever order their members stand;
// two outputs when they differ only in case, white space and figures.
import { hash } from 'node:crypto';

const FINGERPRINT_DIGITS = 16;

export function callSignature(name: string, args: unknown): string {
  return fingerprint(`${name}\n${canonicalJson(args)}`);
}

export function outputFingerprint(text: string): string {
  return fingerprint(text.toLowerCase().replace(/\s+/gu, ' ').replace(/\d+/gu, '0').trim());
}

export function fingerprint(text: string): string {
  return hash('sha256', text, 'hex').slice(0, FINGERPRINT_DIGITS);
}

/** JSON with the members of each object in order of their names. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member) => (isObject(member) ? sorted(member) : member)) ?? 'undefined';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, value[name]]),
  );
}
