// The numbers and patterns of the journal format, version 1. docs/journal-format.md explains each.
// The journal knows the meaning of no type but those in OWN_TYPES.

/** The version that this program writes, and the highest that it reads. */
export const FORMAT = 1;

/** Whether this program knows the format that the first line of a journal names. */
export function isKnownFormat(format: unknown): boolean {
  return format === FORMAT;
}

export const LINE_FEED = 0x0a;
/** A writer refuses a longer line (bytes, LF included). */
export const MAX_WRITTEN_LINE_BYTES = 16 * 1024 * 1024;
/** A reader skips a longer line without holding it in memory. */
export const MAX_READ_LINE_BYTES = 64 * 1024 * 1024;
/** How deep `data` may nest. */
export const MAX_DATA_DEPTH = 256;
/** A payload of more bytes belongs in a file under blobs/. */
export const BLOB_THRESHOLD_BYTES = 256 * 1024;

/** `,"xxh64":"<16 hex>"}`: the end of each line, which its checksum does not cover. */
export const CHECKSUM_TAIL_BYTES = 28;
/** Bytes after `data` if `,"prev":"<16 hex>"` is included. */
export const LINE_TAIL_BYTES = 54;
/** `prev` of line 0. */
export const NO_PREVIOUS = '0000000000000000';

const ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/;
export const TYPE_PATTERN = /^[a-z]+(\.[a-z][a-z-]*)+$/;
export const TYPE_MAX_LENGTH = 64;
export const KEY_MAX_LENGTH = 256;

/** The types that the journal itself reads or writes. */
export const OWN_TYPES = {
  created: 'session.created',
  opened: 'writer.opened',
  closed: 'session.closed',
  recovered: 'journal.recovered',
  repaired: 'journal.repaired',
} as const;

/** Names of devices on Windows, with any extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Whether `id` may name a session, and with it a file. */
export function isSessionId(id: string): boolean {
  return typeof id === 'string' && ID_PATTERN.test(id) && !DEVICE_NAME.test(id);
}

/** A blob is called by the sha256 of its content. */
export const BLOB_NAME_LENGTH = 64;
const BLOB_NAME = /^[0-9a-f]{64}$/;
const HEX_RUN = /[0-9a-f]{64,}/g;

export function isBlobName(name: string): boolean {
  return BLOB_NAME.test(name);
}

/** Which of these blobs a text names: anything that looks like the name of one counts. */
export function* blobNamesIn(text: string, among: ReadonlySet<string>): Generator<string, void, void> {
  for (const [run] of text.matchAll(HEX_RUN)) {
    for (let at = 0; at + BLOB_NAME_LENGTH <= run.length; at += 1) {
      const name = run.slice(at, at + BLOB_NAME_LENGTH);
      if (among.has(name)) yield name;
    }
  }
}
