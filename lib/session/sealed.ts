// One JSON object that ends with a checksum of itself, as a line of a journal does: a single flipped bit is noticed,
// also where the text stays valid JSON and says something else.
import { checksum } from '../journal/line/checksum.ts';

const SEAL = /,"xxh64":"([0-9a-f]{16})"\}$/;

/** `text`: a JSON object that is not empty. */
export function seal(text: string): string {
  const body = text.slice(0, -1);
  return `${body},"xxh64":"${checksumOf(Buffer.from(body))}"}`;
}

export function isSealed(text: string): boolean {
  const [tail, stated] = SEAL.exec(text) ?? [];
  return tail !== undefined && checksumOf(Buffer.from(text.slice(0, -tail.length))) === stated;
}

/** Sixteen hex digits. */
export function checksumOf(bytes: Uint8Array): string {
  return checksum(bytes);
}
