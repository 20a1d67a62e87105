// Clocks of disks tick slowly: a file that changed a moment ago may change again and still have the same time of
// change. Bytes that were read from it must not be kept for a later look.

const SETTLED_AFTER_MS = 2_000;

/** Whether any change after `atMs` gives the file another time of change. Milliseconds since 1970. */
export function isSettled({ changedNs }: { readonly changedNs: bigint }, atMs: number): boolean {
  return changedNs <= BigInt(Math.floor(atMs - SETTLED_AFTER_MS)) * 1_000_000n;
}
