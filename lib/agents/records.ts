// From the bytes of a source to its records, one by one, with bounded memory and the place of each. Damage is a step
// like any other and ends nothing: lines that are too long or not JSON, objects glued together, runs of NUL bytes.
import { ForwardLines, stepAtOnce } from '../journal/reading/lines.ts';
import type { Damage } from '../journal/types.ts';
import type { FileHandle } from '../platform/index.ts';
import { parseObject } from '../platform/json.ts';
import type { JsonObject, SourceForm } from './agent.ts';
import { elementsOf, endOfValue, membersOf, skipSpace } from './json-spans.ts';
import { readAll, type SourceHandle } from './open-source.ts';

export const MAX_RECORD_BYTES = 64 * 2 ** 20;
/** How many places of one bad line are looked at for an object that begins there. */
const MAX_STARTS = 32;
/** How many bytes of it are read for that, from all of these places together. A longer line is read once. */
const MAX_SEARCHED_BYTES = 32 * 2 ** 20;
/** At most this many objects of one line are records; the rest is damage. */
const MAX_GLUED = 10_000;
/** White space up to this length between a bracket and a value is usual. */
const MAX_SPACE = 16;

export type RecordStep =
  | {
      readonly kind: 'record';
      readonly record: JsonObject;
      /** Bytes from the beginning of the source. */
      readonly position: number;
      readonly length: number;
      /** Where the next record begins at the earliest. */
      readonly end: number;
      /** The JSON of the record, for a source that is not read by its bytes. */
      readonly json?: string | undefined;
    }
  /** `end` is undefined of a last line that may still be written. */
  | { readonly kind: 'damage'; readonly damage: Damage; readonly end: number | undefined }
  /** Inside of a line that is too long to hold. */
  | { readonly kind: 'pause' };

interface RecordLimits {
  /** Bytes. */
  readonly from: number;
  /** Bytes: the end as it was when the reading began. */
  readonly to: number;
  /** An incomplete last line is not there yet, instead of damage. */
  readonly isGrowing?: boolean | undefined;
  readonly maxRecordBytes?: number | undefined;
  /** Bytes that are read at a time. */
  readonly chunkBytes?: number | undefined;
}

/** The records of a file of lines. */
export function* recordsOfLines(
  handle: Pick<FileHandle, 'read'>,
  { from, to, isGrowing = false, maxRecordBytes = MAX_RECORD_BYTES, chunkBytes }: RecordLimits,
): Generator<RecordStep, void, void> {
  const lines = new ForwardLines(from, to, { maxLineBytes: maxRecordBytes, chunkBytes, reuse: true });
  for (let step = stepAtOnce(lines, handle); step !== 'end'; step = stepAtOnce(lines, handle)) {
    if (step === 'passing') {
      yield { kind: 'pause' };
      continue;
    }
    const { offset, length, end, terminated, buffer, start, stop } = lines;
    const line = from === 0 ? lines.count : 0;
    if (step === 'oversize') {
      if (!terminated && isGrowing) return;
      yield damageOf('oversize', { offset, length, line }, `The line has more than ${maxRecordBytes} bytes.`, end);
      continue;
    }
    const bytes = buffer.subarray(start, stop);
    const record = recordIn(bytes);
    if (record !== undefined) {
      yield { kind: 'record', record, position: offset, length, end };
    } else if (!isBlank(buffer, start, stop)) {
      if (!terminated && isGrowing) return;
      yield* salvage(bytes, { offset, line, end, terminated });
    }
  }
}

/** The record that a line is; undefined if it is anything else. */
export function recordIn(line: Buffer): JsonObject | undefined {
  return parseObject(line.toString());
}

interface BadLine {
  readonly offset: number;
  readonly line: number;
  readonly end: number;
  readonly terminated: boolean;
}

/** What can still be read of a line that is not one JSON object. */
function* salvage(bytes: Buffer, { offset, line, end, terminated }: BadLine): Generator<RecordStep, void, void> {
  const text = bytes.toString('latin1');
  const found = objectsIn(bytes, text, terminated);
  let at = 0;
  for (const { record, start, stop } of found) {
    if (!isBlank(bytes, at, start)) yield damaged(at, start);
    yield { kind: 'record', record, position: offset + start, length: stop - start, end: offset + stop };
    at = stop;
  }
  if (isBlank(bytes, at, bytes.length)) return;
  if (terminated) yield damaged(at, bytes.length);
  else yield { ...damaged(at, bytes.length, 'torn-tail'), end: undefined };

  function damaged(from: number, to: number, kind?: Damage['kind']): RecordStep & { kind: 'damage' } {
    const isNul = bytes.subarray(from, to).every((byte) => byte === 0);
    const reasons = { 'torn-tail': 'The last line is incomplete.', 'nul-run': 'Only NUL bytes are here.' } as const;
    const what = isNul ? 'nul-run' : (kind ?? 'not-json');
    const reason = reasons[what as keyof typeof reasons] ?? 'This is not a JSON object.';
    const span = { offset: offset + from, length: to - from, line };
    return damageOf(what, span, reason, to === bytes.length ? end : offset + to);
  }
}

function damageOf(
  kind: Damage['kind'],
  span: Pick<Damage, 'offset' | 'length' | 'line'>,
  reason: string,
  end: number | undefined,
): RecordStep & { kind: 'damage' } {
  return { kind: 'damage', damage: { kind, ...span, reason }, end };
}

/**
 * Whole objects among bytes that are not one. An object that looks nested in a broken one does not count as a record.
 * Bytes after the beginning of an object, in a line that may still be written, count as a part of it.
 */
function objectsIn(
  bytes: Buffer,
  text: string,
  terminated: boolean,
): { record: JsonObject; start: number; stop: number }[] {
  const found: { record: JsonObject; start: number; stop: number }[] = [];
  const brace = new Seek(text, '{"');
  let starts = 0;
  let searched = 0;
  const isBounded = () => starts < MAX_STARTS && searched < MAX_SEARCHED_BYTES && found.length < MAX_GLUED;
  for (let start = text.indexOf('{'); start >= 0 && isBounded(); ) {
    const before = text
      .slice(Math.max(0, start - MAX_SPACE), start)
      .trimEnd()
      .at(-1);
    let next: number | undefined;
    if (before === undefined || !':,['.includes(before)) {
      starts += 1;
      const stop = endOfValue(text, start);
      if (stop === undefined && !terminated) break;
      searched += (stop ?? text.length) - start;
      const record = stop === undefined ? undefined : parseObject(bytes.toString('utf8', start, stop));
      if (record !== undefined && stop !== undefined) {
        found.push({ record, start, stop });
        starts -= 1;
        searched -= stop - start;
        const behind = skipSpace(text, stop);
        next = text[behind] === '{' ? behind : brace.from(stop);
      }
    }
    start = next ?? brace.from(start + 1);
  }
  return found;
}

/** Where a word comes next, asked from left to right: each place of the text is looked at once. */
class Seek {
  readonly #text: string;
  readonly #word: string;
  #next = 0;

  constructor(text: string, word: string) {
    this.#text = text;
    this.#word = word;
    this.#next = text.indexOf(word);
  }

  /** -1 if it does not come any more. */
  from(at: number): number {
    if (this.#next >= 0 && this.#next < at) this.#next = this.#text.indexOf(this.#word, at);
    return this.#next;
  }
}

/** The records of a file that is one JSON object. */
export function* recordsOfDocument(
  handle: SourceHandle,
  { header, list }: Extract<SourceForm, { kind: 'document' }>,
  maxBytes: number = MAX_RECORD_BYTES,
): Generator<RecordStep, void, void> {
  const { size } = handle.stat();
  const whole = { offset: 0, length: size, line: 1 };
  if (size > maxBytes) {
    yield damageOf('oversize', whole, `The document has more than ${maxBytes} bytes.`, undefined);
    return;
  }
  const bytes = readAll(handle);
  // Checked as a whole first: half a document, as it is while it is rewritten, gives no record.
  const document = parseObject(bytes.toString());
  if (document === undefined) {
    if (bytes.length > 0) yield damageOf('not-json', whole, 'This is not a JSON object.', undefined);
    return;
  }
  const text = bytes.toString('latin1');
  const members = [...membersOf(text, skipSpace(text, text.indexOf('{')))];
  const array = members.findLast(({ name, start }) => name === list && text[start] === '[');
  const head = Object.fromEntries(header.filter((name) => name in document).map((name) => [name, document[name]]));
  const headEnd = array?.start ?? size;
  yield { kind: 'record', record: head, position: 0, length: headEnd, end: headEnd, json: JSON.stringify(head) };
  if (array === undefined) return;
  for (const { start, stop } of elementsOf(text, array.start)) {
    const json = bytes.toString('utf8', start, stop);
    const record = parseObject(json);
    const span = { offset: start, length: stop - start, line: 0 };
    if (record === undefined) yield damageOf('not-json', span, 'This is not a JSON object.', stop);
    else yield { kind: 'record', record, position: start, length: stop - start, end: stop, json };
  }
}

/** The rows of a database, with the places that they have as lines of NDJSON. */
export function* recordsOfRows(rows: Iterable<JsonObject>): Generator<RecordStep, void, void> {
  let position = 0;
  for (const record of rows) {
    const json = JSON.stringify(record);
    const length = Buffer.byteLength(json);
    yield { kind: 'record', record, position, length, end: position + length + 1, json };
    position += length + 1;
  }
}

function isBlank(bytes: Buffer, start: number, stop: number): boolean {
  for (let at = start; at < stop; at++) if (bytes[at]! > 0x20 || bytes[at] === 0) return false;
  return true;
}
