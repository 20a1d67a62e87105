// The door to assembly/: lines of a journal are looked at where they were copied to, many by one call. What it finds of a
// line is a record of 64 bytes, in whose form only line-positions.ts looks.
import { Instance, Memory, moduleOf } from './assembly.ts';
import { SCANNER_BASE64 } from './scanner.generated.ts';

/** 32-bit words that tell of one line. */
export const RECORD_WORDS = 16;

const PAGE_BYTES = 64 * 1024;
/** Of what lies before the bytes. */
const OWN_PAGES = 5;
/** What it may read behind the bytes it is asked about: a form is compared as far as it goes, and found to be too long. */
const MARGIN_BYTES = 4096;

interface Place {
  readonly value: number;
}

/** See assembly/scanner.ts. */
interface Exports {
  readonly chainAt: Place;
  readonly foundAt: Place;
  readonly recordsAt: Place;
  readonly formsAt: Place;
  readonly formBytes: Place;
  readonly maxForms: Place;
  readonly inputAt: Place;
  readonly passedTo: Place;
  pass(start: number, stop: number): number;
  find(start: number, stop: number): number;
  holds(start: number, stop: number): number;
  members(start: number, stop: number): number;
  hasForm(form: number, start: number, stop: number): number;
  begin(): void;
  takeStripes(start: number, stop: number): number;
  finish(start: number, stop: number, total: bigint): bigint;
}

const WORD = 2 ** 32;

/**
 * A number of two words. Most need one, and stay integers to V8: one that was ever loaded as a float changes the layout of
 * each object that it is written to, and code that was made for the other layout goes with the next collection.
 */
export function wholeNumber(low: number, high: number): number {
  return high === 0 && low >= 0 ? low : high * WORD + (low >>> 0);
}

const compiled = moduleOf(SCANNER_BASE64);

/** The bytes that are looked at, up to `capacity` of them, and what was found. */
export class Scanner {
  readonly capacity: number;
  /** Where the first of the bytes is to the scanner: what its records name is as far behind this. */
  readonly origin: number;
  readonly words: Int32Array;
  /** What `hasForm` found: for each variable where it begins and ends, and the two words of an integer. */
  readonly found: Int32Array;
  readonly #forms: Uint8Array;
  readonly #formBytes: number;
  /** Whose forms are in the places that there are for them. */
  readonly #owners: (Uint8Array | undefined)[];
  readonly #input: Buffer;
  readonly #chainSeq: Int32Array;
  readonly #chainHash: BigUint64Array;
  readonly #exports: Exports;

  constructor(capacity: number) {
    // What of it is never touched takes nothing.
    const memory = new Memory({ initial: OWN_PAGES + Math.ceil((capacity + MARGIN_BYTES) / PAGE_BYTES) });
    const instance = new Instance(compiled, { env: { memory } });
    const exports = instance.exports as Exports;
    const { chainAt, foundAt, recordsAt, formsAt, formBytes, maxForms, inputAt } = exports;
    this.capacity = capacity;
    this.origin = inputAt.value;
    this.words = new Int32Array(memory.buffer, recordsAt.value);
    this.found = new Int32Array(memory.buffer, foundAt.value);
    this.#forms = new Uint8Array(memory.buffer, formsAt.value);
    this.#formBytes = formBytes.value;
    this.#owners = new Array(maxForms.value).fill(undefined);
    this.#input = Buffer.from(memory.buffer, inputAt.value, capacity + MARGIN_BYTES);
    this.#chainSeq = new Int32Array(memory.buffer, chainAt.value, 2);
    this.#chainHash = new BigUint64Array(memory.buffer, chainAt.value + 8, 1);
    this.#exports = exports;
  }

  /** Copies bytes to where they can be looked at. */
  load(bytes: Buffer, start: number, stop: number): void {
    bytes.copy(this.#input, 0, start, stop);
  }

  /** What the next line has to follow; after lines were gone over, the last of them. */
  get seq(): number {
    return wholeNumber(this.#chainSeq[0]!, this.#chainSeq[1]!);
  }

  get hash(): bigint {
    return this.#chainHash[0]!;
  }

  follow(seq: number, hash: bigint): void {
    this.#chainSeq[0] = seq % WORD;
    this.#chainSeq[1] = Math.floor(seq / WORD);
    this.#chainHash[0] = hash;
  }

  /** Where the last line that was gone over ends, behind its LF. */
  get passedTo(): number {
    return this.#exports.passedTo.value - this.origin;
  }

  /** Goes over lines from `start` on that hold and follow each other, and returns how many there are. */
  pass(start: number, stop: number): number {
    return this.#exports.pass(this.origin + start, this.origin + stop);
  }

  /** The same for as many lines as there are records, in which their members are found. */
  find(start: number, stop: number): number {
    return this.#exports.find(this.origin + start, this.origin + stop);
  }

  /** Whether the first bytes, as many as `length`, end with the checksum of what is before it. */
  holds(length: number): boolean {
    return this.#exports.holds(this.origin, this.origin + length) !== 0;
  }

  /** Whether they are a line with its members in their order, whatever its checksum is. */
  members(length: number): boolean {
    return this.#exports.members(this.origin, this.origin + length) !== 0;
  }

  /**
   * Whether the data from `start` to `stop` of the bytes has a form, as data-form.ts writes it down. `number` is its own as far
   * as there are places; it is brought in again when another came to its place.
   */
  hasForm(form: Uint8Array, number: number, start: number, stop: number): boolean {
    const owners = this.#owners;
    const place = number % owners.length;
    if (owners[place] !== form) {
      this.#forms.set(form, place * this.#formBytes);
      owners[place] = form;
    }
    return this.#exports.hasForm(place, this.origin + start, this.origin + stop) !== 0;
  }

  /** XXH64 of bytes of any length, where the capacity is a multiple of the 32 that are hashed at a time. */
  hashOf(bytes: Uint8Array): bigint {
    const { begin, takeStripes, finish } = this.#exports;
    const { origin, capacity } = this;
    begin();
    let rest = bytes;
    for (; rest.length > capacity; rest = rest.subarray(capacity)) {
      this.#input.set(rest.subarray(0, capacity));
      takeStripes(origin, origin + capacity);
    }
    this.#input.set(rest);
    const stop = origin + rest.length;
    return BigInt.asUintN(64, finish(takeStripes(origin, stop), stop, BigInt(bytes.length)));
  }

  /** The same of the code units of texts, one behind the other, as they lie in memory. They are never put together for it. */
  hashOfTexts(texts: readonly string[]): bigint {
    const { begin, takeStripes, finish } = this.#exports;
    const { origin, capacity } = this;
    let taken = 0;
    let waiting = 0;
    begin();
    for (const text of texts) {
      for (let start = 0; start < text.length; ) {
        const room = (capacity - waiting) / 2;
        const piece = start === 0 && text.length <= room ? text : text.slice(start, start + room);
        waiting += this.#input.write(piece, waiting, 'utf16le');
        start += piece.length;
        if (waiting < capacity) continue;
        takeStripes(origin, origin + capacity);
        taken += capacity;
        waiting = 0;
      }
    }
    const stop = origin + waiting;
    return BigInt.asUintN(64, finish(takeStripes(origin, stop), stop, BigInt(taken + waiting)));
  }
}

const SHARED_CAPACITY_BYTES = 1024 * 1024;

/** For what is done with one line, or one text, before anything else is. */
const shared = new Scanner(SHARED_CAPACITY_BYTES);

/** One that takes so many bytes. What a very long line needs is given back behind it: memory of WebAssembly never shrinks. */
export function scannerFor(bytes: number): Scanner {
  return bytes <= SHARED_CAPACITY_BYTES ? shared : new Scanner(bytes);
}

export function hashOf(bytes: Uint8Array): bigint {
  return shared.hashOf(bytes);
}

export function hashOfTexts(texts: readonly string[]): bigint {
  return shared.hashOfTexts(texts);
}
