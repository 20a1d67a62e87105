// Data that is like that of an earlier line. Lines of one type say the same but for an id, some counts and one long text.
// Where they do, what varies is read from between the bytes that do not: nothing is parsed, a text that nobody looks at is
// passed over, and what was found valid once is valid again. Any other line is left to be read as a whole. What follows a
// text inside of its own object is passed over with it. For lines whose checksum holds.

import type { DataForm, DataShape, JsonObject, LoadedData } from '../types.ts';
import { longTextAt } from './long-texts.ts';
import { wholeNumber } from './scanner.ts';
import { textAt } from './text-at.ts';

/** Where more than this does not vary, it is a text that does. */
const MAX_FIXED_BYTES = 1024;
/** `\u0000` */
const MAX_ESCAPE_BYTES = 6;

const BACKSLASH = 0x5c;
/** What is found of a variable. */
const FOUND_WORDS = 4;

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
  readonly closingBytes: number;
}

let forms = 0;

class FixedForm implements DataForm {
  isWhole = true;
  readonly #sample: JsonObject;
  readonly #variables: readonly Place[];
  readonly #written: Uint8Array;
  readonly #number = forms++;

  constructor(sample: JsonObject, head: Buffer, variables: readonly Variable[]) {
    this.#sample = sample;
    this.#variables = variables;
    this.#written = written(head, variables);
  }

  read(loaded: LoadedData, keptBytes: number): JsonObject | undefined {
    const { bytes, start, stop, scanner, origin } = loaded;
    if (!scanner.hasForm(this.#written, this.#number, start - origin, stop - origin)) return undefined;
    const { found } = scanner;
    const shift = origin - scanner.origin;
    const data: Record<string, unknown> = { ...this.#sample };
    this.isWhole = true;
    let word = 0;
    for (const { kind, path } of this.#variables) {
      const at = found[word]! + shift;
      const end = found[word + 1]! + shift;
      if (kind === 'integer') put(data, path, wholeNumber(found[word + 2]!, found[word + 3]!));
      else if (kind === 'string') put(data, path, bytes.toString('latin1', at, end));
      else {
        const kept = kind === 'text' && keptBytes > 0 ? endOfBeginning(bytes, at, end, keptBytes) : at;
        this.isWhole = kept === end;
        const isPlain = kept - at <= found[word + 2]!;
        const text = kept === at ? '' : isPlain ? bytes.toString('latin1', at, kept) : unescapedAt(bytes, at, kept);
        if (text === undefined) return undefined;
        if (text !== '') put(data, path, text);
      }
      word += FOUND_WORDS;
    }
    return data;
  }
}

const KIND_NUMBERS: Readonly<Record<Kind, number>> = { integer: 0, string: 1, text: 2, value: 3 };

/** As assembly/form.ts reads it. */
function written(head: Buffer, variables: readonly Variable[]): Uint8Array {
  const numbers = (...all: number[]) => new Uint8Array(Uint32Array.from(all).buffer);
  return Buffer.concat([
    numbers(head.length, variables.length),
    head,
    ...variables.flatMap(({ kind, behind, closingBytes }) => [
      numbers(KIND_NUMBERS[kind], behind.length, closingBytes),
      behind,
    ]),
  ]);
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
    return { kind, path, behind, closingBytes: behind.indexOf(',"') + 2 };
  });
  // A text that is the last member has nothing behind it that no text could hold.
  if (variables.some(({ kind, closingBytes }) => kind === 'text' && closingBytes < 3)) return undefined;
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
    return longTextAt(bytes, start, stop) ?? (JSON.parse(`"${textAt(bytes, start, stop)}"`) as string);
  } catch {
    return undefined;
  }
}
