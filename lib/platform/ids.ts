// The only door to randomness. Linux hands out random UUIDs as a file, from the same source as node:crypto; to load that
// for the id of a session would take a fifth of what a Node with nothing to do takes to start.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Ids {
  /** A random UUID, version 4, in lower case. */
  uuid(): string;
  /** Random hex digits for a temporary name. */
  token(): string;
}

export const systemIds: Ids = {
  uuid: () => kernelUuid() ?? randomUUID(),
  // What is the same in each of version 4 lies between.
  token: () => kernelUuid()?.replace(/^(.{8}).*(.{8})$/, '$1$2') ?? randomBytes(8).toString('hex'),
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Undefined on other systems, and where a sandbox hides it or makes something up. */
function kernelUuid(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const uuid = readFileSync('/proc/sys/kernel/random/uuid', 'latin1').trimEnd();
    return UUID.test(uuid) ? uuid : undefined;
  } catch {
    return undefined;
  }
}

/** The same ids in the same order every time. For tests. */
export function countingIds(): Ids {
  let next = 0;
  const hex = (length: number) => (++next).toString(16).padStart(length, '0');
  return {
    uuid: () => `00000000-0000-4000-8000-${hex(12)}`,
    token: () => hex(16),
  };
}
