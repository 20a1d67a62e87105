// Takes out of a tool's result what differs each time although nothing happened: times of day, durations, timestamps,
// process numbers, UUIDs and other random names. Everything else stays, so that a result that changed is still another
// one.

/** Longer results are compared as they are. */
const MAX_CHARACTERS = 16_000;

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const ZONE = String.raw`(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?`;
const TIME_OF_DAY = String.raw`\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?`;
const DATE_AND_TIME = String.raw`\d{4}-\d\d-\d\d[T ]${TIME_OF_DAY}${ZONE}`;
const UNIX_TIME = String.raw`1[5-9]\d{8}(?:\d{3}){0,3}(?:\.\d{1,9})?`;
/** The time that is left is news; the time that something took is not. */
const UNIT = '(?:[nµum]?s|secs?|seconds?|mins?|minutes?|hours?)';
const DURATION = String.raw`(?:\d{1,9}(?:\.\d{1,9})? ?${UNIT}|\d{1,6}h ?\d{1,2}m(?: ?\d{1,2}s)?|\d{1,6}m ?\d{1,2}(?:\.\d{1,9})?s)\b(?! (?:left|remaining|to go))`;
/** `Chunk ID: 4f2a9c`, `"request_id": "x1"`, `pid 4711`. */
const LABELLED_ID = String.raw`(?:(?:chunk|request|trace|span|correlation|invocation)[ _-]?id["']?[ :=#]{1,3}["']?[\w-]{1,80}|(?:p?pid|process)["']?[ :=#]{1,3}\d{1,10})`;
/** `call_x7a2b9`, `job-4f2a9c`: a name, then letters and digits mixed. */
const RANDOM_NAME = String.raw`[a-z]{2,20}(?:-[a-z]{1,20}){0,3}[-_](?=[a-z]{0,20}\d)(?=\d{0,20}[a-z])[a-z0-9]{4,64}`;

const VOLATILE = new RegExp(
  String.raw`(?<![\w.])(?:${[UUID, DATE_AND_TIME, TIME_OF_DAY, UNIX_TIME, DURATION, LABELLED_ID, RANDOM_NAME].join('|')})(?![\w-])`,
  'giu',
);
const WAITED = /\bwall time:? (\d{1,9})(?:\.\d+)? s/iu;

/** The text with the same mark in each of these places. */
export function withoutVolatile(text: string): string {
  return text.length > MAX_CHARACTERS ? text : text.replace(VOLATILE, '<…>');
}

/** The seconds that a result says the call took, where an agent prefixes results with them; 0 otherwise. */
export function wallSeconds(text: string): number {
  return Number(WAITED.exec(text.slice(0, 400))?.[1] ?? 0);
}
