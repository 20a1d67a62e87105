// Ids of a handed-over session and of its records: hashes of its source and of their numbers, never of their
// content, and the same each time.
import { hash } from 'node:crypto';

/** A UUID of 128 bits of a hash. `version`: its version digit. */
export function uuidOf(text: string, version: 4 | 7 = 4): string {
  const digits = hash('sha256', text, 'hex');
  const variant = '89ab'[Number.parseInt(digits[16]!, 16) % 4];
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `${version}${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ];
  return parts.join('-');
}

/** Id of the record with this number. */
export function recordId(session: string, index: number): string {
  return uuidOf(`${session} ${index}`);
}

export function jsonLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** As the programs name a project's folder: every other character is `-`. */
export function slugOf(path: string): string {
  return path.replaceAll(/[^a-zA-Z0-9]/g, '-');
}
