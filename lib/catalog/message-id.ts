// Ids of messages in the catalogue: each begins with the second that the message happened in, so that the order of ids
// is the order of time, and the newest hits of a search are found without sorting. They fit into a number of
// JavaScript.

const IDS_PER_SECOND = 2 ** 20;
/** In the year 2106. A later time is a mistake of its source. */
const LAST_SECOND = 2 ** 32;

/** The id before the first one of this time's second. The time is milliseconds since 1970. */
export function idBefore(timeMs: number): number {
  return Math.min(LAST_SECOND, Math.max(0, Math.floor(timeMs / 1000))) * IDS_PER_SECOND;
}

/** The last id of the same second. */
export function lastIdBeside(id: number): number {
  return Math.floor(id / IDS_PER_SECOND) * IDS_PER_SECOND + IDS_PER_SECOND - 1;
}

/** The second of an id, RFC 3339. */
export function timeOfId(id: number): string {
  return new Date(Math.floor(id / IDS_PER_SECOND) * 1000).toISOString();
}
