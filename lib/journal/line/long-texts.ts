// Data with long texts in it, in less time than JSON.parse takes for it: assembly/unescape.ts takes the texts out and unescapes
// them, what is left is parsed, and each text is put where it belongs. The same data comes of it, or none: then it is for
// JSON.parse to read, or to say what is wrong with it.

import type { JsonObject } from '../types.ts';
import { Instance, Memory, moduleOf } from './assembly.ts';
import { textAt } from './text-at.ts';
import { UNESCAPE_BASE64 } from './unescape.generated.ts';

interface Place<Value = number> {
  readonly value: Value;
}

/** See assembly/unescape.ts. */
interface Exports {
  readonly capacity: Place;
  readonly foundAt: Place;
  readonly inputAt: Place;
  readonly restAt: Place;
  readonly memoryBytes: Place;
  readonly restBytes: Place;
  readonly restIsAscii: Place;
  takeTexts(length: number): number;
  takeInside(length: number): number;
}

type Owner = Record<string, unknown>;

/** Where a text is: the names on the way to what holds it, and its own. */
interface TextPlace {
  readonly way: readonly string[];
  readonly name: string;
}

/** Data of fewer bytes is parsed sooner than looked through. */
const LEAST_DATA_BYTES = 512;
const LEAST_TEXT_BYTES = 64;
/** Where there is more than this beside the texts, they are not most of it, and long to look for. */
const MAX_REST_BYTES = 8 * 1024;
/** Of 64 kB. What of it is never touched takes nothing. */
const PAGES = 62;
/** What is found of a text. */
const FOUND_WORDS = 3;
/** No event has its texts deeper; whatever has is left to JSON.parse. */
const MAX_DEPTH = 8;
const MAX_PLACES = 8;
/** What a process parses before this is opened, which takes 1.4 ms: more than it can win there. */
const WORTH_BYTES = 512 * 1024;

/** Where texts were found before, the last one first: nearly all of them are in the same few places. */
const places: TextPlace[] = [];

let opened: TextScanner | undefined;
let seenBytes = 0;

/**
 * The data between these places, as JSON.parse would make it. Undefined where it has no long text, is too long or not JSON in
 * UTF-8, and as long as it is not worth it.
 */
export function dataWithLongTexts(buffer: Buffer, start: number, stop: number): JsonObject | undefined {
  if (stop - start < LEAST_DATA_BYTES) return undefined;
  return scannerWorth(stop - start)?.read(buffer, start, stop);
}

/** What the inside of a long string says, as JSON.parse would read it between quotes. Undefined as above. */
export function longTextAt(buffer: Buffer, start: number, stop: number): string | undefined {
  if (stop - start < LEAST_TEXT_BYTES) return undefined;
  return scannerWorth(stop - start)?.readInside(buffer, start, stop);
}

function scannerWorth(bytes: number): TextScanner | undefined {
  seenBytes += bytes;
  if (opened === undefined && seenBytes >= WORTH_BYTES) opened = new TextScanner();
  return opened;
}

class TextScanner {
  readonly #bytes: Buffer;
  readonly #found: Int32Array;
  readonly #exports: Exports;

  constructor() {
    const memory = new Memory({ initial: PAGES, maximum: PAGES });
    const exports = new Instance(moduleOf(UNESCAPE_BASE64), { env: { memory } }).exports as Exports;
    if (exports.memoryBytes.value > memory.buffer.byteLength)
      throw new RangeError('The memory is too small for what assembly/ asks.');
    this.#exports = exports;
    this.#bytes = Buffer.from(memory.buffer);
    this.#found = new Int32Array(memory.buffer, exports.foundAt.value);
  }

  read(buffer: Buffer, start: number, stop: number): JsonObject | undefined {
    const { capacity, inputAt, takeTexts } = this.#exports;
    if (stop - start > capacity.value) return undefined;
    buffer.copy(this.#bytes, inputAt.value, start, stop);
    const texts = takeTexts(stop - start);
    if (texts === 0 || this.#exports.restBytes.value > MAX_REST_BYTES) return undefined;
    const data = this.#rest();
    for (let text = 0; data !== undefined && text < texts; text += 1) {
      if (!replaceMark(data, `\x7f${String.fromCharCode(0x30 + text)}`, this.#text(text))) return undefined;
    }
    return data;
  }

  readInside(buffer: Buffer, start: number, stop: number): string | undefined {
    const { capacity, inputAt, takeInside } = this.#exports;
    if (stop - start > capacity.value) return undefined;
    buffer.copy(this.#bytes, inputAt.value, start, stop);
    return takeInside(stop - start) === 0 ? undefined : this.#text(0);
  }

  #rest(): JsonObject | undefined {
    const { restAt, restBytes, restIsAscii } = this.#exports;
    const start = restAt.value;
    const stop = start + restBytes.value;
    const bytes = this.#bytes;
    try {
      return JSON.parse(
        restIsAscii.value ? bytes.toString('latin1', start, stop) : textAt(bytes, start, stop),
      ) as JsonObject;
    } catch {
      return undefined;
    }
  }

  #text(number: number): string {
    const word = number * FOUND_WORDS;
    const start = this.#found[word]!;
    const stop = this.#found[word + 1]!;
    return this.#found[word + 2] === 1
      ? this.#bytes.toString('latin1', start, stop)
      : this.#bytes.toString('utf16le', start, stop);
  }
}

/** False if the mark is nowhere: it was a name, or the value of a name that came again. */
function replaceMark(data: JsonObject, mark: string, text: string): boolean {
  const known = places.findIndex((place) => replaceAt(data, place, mark, text));
  if (known === 0) return true;
  const place = known > 0 ? places[known] : placeOf(data, mark, []);
  if (place === undefined) return false;
  if (known < 0) replaceAt(data, place, mark, text);
  places.splice(known < 0 ? MAX_PLACES - 1 : known, 1);
  places.unshift(place);
  return true;
}

function replaceAt(data: unknown, { way, name }: TextPlace, mark: string, text: string): boolean {
  let owner = data;
  for (const step of way) owner = isObject(owner) ? owner[step] : undefined;
  if (!isObject(owner) || owner[name] !== mark) return false;
  owner[name] = text;
  return true;
}

function placeOf(owner: Owner, mark: string, way: readonly string[]): TextPlace | undefined {
  for (const name of Object.keys(owner)) {
    const value = owner[name];
    if (value === mark) return { way, name };
    const isWithin = way.length < MAX_DEPTH && isObject(value);
    const place = isWithin ? placeOf(value, mark, [...way, name]) : undefined;
    if (place !== undefined) return place;
  }
  return undefined;
}

function isObject(value: unknown): value is Owner {
  return typeof value === 'object' && value !== null;
}
