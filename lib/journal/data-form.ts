// Data that is like that of an earlier line. Lines of one type say the same but for an id, some counts and one long text.
// Where they do, what varies is read from between the bytes that do not: nothing is parsed, a text that nobody looks at is
// passed over, and what was found valid once is valid again. Any other line is left to be read as a whole. What follows a
// text inside of its own object is passed over with it. For lines whose checksum holds.
import { textAt } from './text-at.ts';
import type { DataForm, DataShape, JsonObject } from './types.ts';

/** Where more than this does not vary, it is a text that does. */
const MAX_FIXED_BYTES = 1024;
/** A longer string is no id. */
const MAX_STRING_BYTES = 256;
const MAX_DIGITS = 15;
/** `\u0000` */
const MAX_ESCAPE_BYTES = 6;

const QUOTE = 0x22;
const DIGIT_ZERO = 0x30;
const BACKSLASH = 0x5c;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

/** Stands around the number of what varies, while the bytes between are found. */
const MARK = '\ue000';

type Kind = 'integer' | 'string' | 'text' | 'value';

interface Place {
  readonly kind: Kind;
  readonly path: readonly string[];
}

/** What varies, and the bytes between it and what varies next. */
interface Variable extends Place {
  readonly behind: Buffer;
  /** Of a text: from its last quote up to the name of the next member. No text holds this, because it escapes its quotes. */
  readonly closing: Buffer;
}

class FixedForm implements DataForm {
  isWhole = true;
  readonly #sample: JsonObject;
  readonly #head: Buffer;
  readonly #variables: readonly Variable[];

  constructor(sample: JsonObject, head: Buffer, variables: readonly Variable[]) {
    this.#sample = sample;
    this.#head = head;
    this.#variables = variables;
  }

  read(bytes: Buffer, start: number, stop: number, keptBytes: number): JsonObject | undefined {
    if (!standsAt(this.#head, bytes, start)) return undefined;
    const data: Record<string, unknown> = { ...this.#sample };
    let at = start + this.#head.length;
    this.isWhole = true;
    for (const variable of this.#variables) {
      const end = endOf(variable, bytes, at, stop);
      if (end < 0 || !standsAt(variable.behind, bytes, end)) return undefined;
      const { kind, path } = variable;
      if (kind === 'integer') put(data, path, integerAt(bytes, at, end));
      else if (kind === 'string') put(data, path, bytes.toString('latin1', at, end));
      else {
        const kept = kind === 'text' && keptBytes > 0 ? endOfBeginning(bytes, at, end, keptBytes) : at;
        this.isWhole = kept === end;
        const text = kept > at ? unescapedAt(bytes, at, kept) : '';
        if (text === undefined) return undefined;
        if (text !== '') put(data, path, text);
      }
      at = end + variable.behind.length;
    }
    return at === stop ? data : undefined;
  }
}

/** The form of data that its schema allows; undefined if no other line could share it. */
export function formOf(data: JsonObject, shape: DataShape): DataForm | undefined {
  const places = placesOf(data, shape);
  const marked = { ...data };
  for (const [index, { path }] of places.entries()) put(marked, path, `${MARK}${index}${MARK}`);
  const json = JSON.stringify(marked);
  const ordered = places
    .map(({ kind, path }, index) => ({ kind, path, mark: markOf(kind, index) }))
    .sort((left, right) => json.indexOf(left.mark) - json.indexOf(right.mark));
  const pieces = piecesBetween(
    json,
    ordered.map(({ mark }) => mark),
  );
  if (pieces === undefined || pieces.reduce((sum, { length }) => sum + length, 0) > MAX_FIXED_BYTES) return undefined;
  const variables = ordered.map(({ kind, path }, index): Variable => {
    const behind = pieces[index + 1]!;
    return { kind, path, behind, closing: behind.subarray(0, behind.indexOf(',"') + 2) };
  });
  // A text that is the last member has nothing behind it that no text could hold.
  if (variables.some(({ kind, closing }) => kind === 'text' && closing.length < 3)) return undefined;
  return new FixedForm(sampleOf(data, shape), pieces[0]!, variables);
}

/** What varies in this data; a member that is not there, or is something else, does not. */
function placesOf(data: JsonObject, { integers, strings, skipped }: DataShape): Place[] {
  const named = (kind: Kind, paths: readonly string[]) => paths.map((path): Place => ({ kind, path: path.split('.') }));
  const isText = typeof valueAt(data, skipped.split('.')) === 'string';
  const places = [
    ...named('integer', integers),
    ...named('string', strings),
    ...named(isText ? 'text' : 'value', [skipped]),
  ];
  return places.filter(({ kind, path }) => FITS[kind](valueAt(data, path)));
}

const FITS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  integer: (value) => Number.isSafeInteger(value),
  string: (value) => typeof value === 'string',
  text: (value) => typeof value === 'string',
  value: (value) => typeof value === 'object' && value !== null,
};

/** As JSON has it: a number or an object has no quotes around it. */
function markOf(kind: Kind, index: number): string {
  const mark = `${MARK}${index}${MARK}`;
  return kind === 'string' || kind === 'text' ? mark : JSON.stringify(mark);
}

/** Undefined if a mark is not there exactly once, behind the one before. */
function piecesBetween(json: string, marks: readonly string[]): Buffer[] | undefined {
  const pieces: Buffer[] = [];
  let rest = json;
  for (const mark of marks) {
    const [before, behind, ...more] = rest.split(mark);
    if (before === undefined || behind === undefined || more.length > 0) return undefined;
    pieces.push(Buffer.from(before));
    rest = behind;
  }
  return [...pieces, Buffer.from(rest)];
}

/** A copy of its own, with nothing in the place of what is skipped. */
function sampleOf(data: JsonObject, { skipped }: DataShape): JsonObject {
  const path = skipped.split('.');
  const sample = { ...data };
  const value = valueAt(data, path);
  if (value !== undefined) put(sample, path, typeof value === 'string' ? '' : {});
  return structuredClone(sample);
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), data);
}

/** Sets what is there already. What lies on the way is copied, because others have it too. */
function put(data: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const last = path.length - 1;
  let owner = data;
  for (let depth = 0; depth < last; depth += 1) owner = copyInside(owner, path[depth]!);
  owner[path[last]!] = value;
}

function copyInside(owner: Record<string, unknown>, name: string): Record<string, unknown> {
  const inner = owner[name];
  const copy = Array.isArray(inner) ? inner.slice() : { ...(inner as object) };
  owner[name] = copy;
  return copy as Record<string, unknown>;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function standsAt(piece: Buffer, bytes: Buffer, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) if (bytes[at + index] !== piece[index]) return false;
  return true;
}

/** The position behind what varies; -1 if it is not of its kind. */
function endOf({ kind, closing }: Variable, bytes: Buffer, start: number, stop: number): number {
  switch (kind) {
    case 'integer':
      return endOfInteger(bytes, start);
    case 'string':
      return endOfString(bytes, start);
    case 'text':
      return endOfText(bytes, start, stop, closing);
    case 'value':
      return endOfValue(bytes, start, stop);
  }
}

function endOfInteger(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at += 1;
  const digits = at - start;
  return digits === 0 || digits > MAX_DIGITS || (bytes[start] === DIGIT_ZERO && digits > 1) ? -1 : at;
}

function integerAt(bytes: Buffer, start: number, stop: number): number {
  let value = 0;
  for (let at = start; at < stop; at += 1) value = value * 10 + bytes[at]! - DIGIT_ZERO;
  return value;
}

/** Of a short one, not empty, that stands in the line as it is. */
function endOfString(bytes: Buffer, start: number): number {
  const limit = start + MAX_STRING_BYTES;
  let at = start;
  while (at < limit && isPlain(bytes[at]!)) at += 1;
  return bytes[at] === QUOTE && at > start ? at : -1;
}

/** ASCII that JSON does not escape. */
function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== QUOTE && byte !== BACKSLASH;
}

function endOfText(bytes: Buffer, start: number, stop: number, closing: Buffer): number {
  const end = bytes.indexOf(closing, start);
  // An escaped quote is a part of the text, and the text ends with what looks like its closing.
  return end < 0 || end >= stop || bytes[end - 1] === BACKSLASH ? -1 : end;
}

/** Of an object or a list. */
function endOfValue(bytes: Buffer, start: number, stop: number): number {
  let depth = 0;
  for (let at = start; at < stop; at += 1) {
    const byte = bytes[at];
    if (byte === BRACE_OPEN || byte === BRACKET_OPEN) depth += 1;
    else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) depth -= 1;
    else if (byte === QUOTE) at = closingQuote(bytes, at, stop);
    if (depth === 0) return at + 1;
  }
  return -1;
}

function closingQuote(bytes: Buffer, start: number, stop: number): number {
  let at = start + 1;
  while (at < stop && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Whether no character of UTF-8, and no escape, goes on at this place of a text. */
function isBetweenCharacters(bytes: Buffer, at: number): boolean {
  for (let back = 1; back < MAX_ESCAPE_BYTES; back += 1) if (bytes[at - back] === BACKSLASH) return false;
  return (bytes[at]! & 0xc0) !== 0x80;
}

/** Where the beginning of a text ends: behind so many bytes, or some more up to the end of a character. */
function endOfBeginning(bytes: Buffer, start: number, stop: number, keptBytes: number): number {
  let end = Math.min(stop, start + keptBytes);
  while (end < stop && !isBetweenCharacters(bytes, end)) end += 1;
  return end;
}

/** Undefined for what is no text in UTF-8, or more than one. */
function unescapedAt(bytes: Buffer, start: number, stop: number): string | undefined {
  try {
    return JSON.parse(`"${textAt(bytes, start, stop)}"`) as string;
  } catch {
    return undefined;
  }
}
