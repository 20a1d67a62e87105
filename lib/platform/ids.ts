// The only door to randomness.
import { randomBytes, randomUUID } from 'node:crypto';

export interface Ids {
  /** A random UUID, version 4, in lower case. */
  uuid(): string;
  /** Random hex digits for a temporary name. */
  token(): string;
}

export const systemIds: Ids = {
  uuid: () => randomUUID(),
  token: () => randomBytes(8).toString('hex'),
};

/** Ids that are equal in every run. For tests. */
export function countingIds(): Ids {
  let next = 0;
  const hex = (length: number) => (++next).toString(16).padStart(length, '0');
  return {
    uuid: () => `00000000-0000-4000-8000-${hex(12)}`,
    token: () => hex(16),
  };
}
