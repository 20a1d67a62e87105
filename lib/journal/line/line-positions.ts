// Where the members of a line stand: positions in the buffer that it was read from, taken from the record that the scanner
// made of it (see assembly/line.ts). The same object goes from one line to the next.
import { RECORD_WORDS, type Scanner, wholeNumber } from './scanner.ts';

const START = 0;
const STOP = 1;
const TIME = 2;
const TYPE = 3;
const TYPE_STOP = 4;
const ID = 5;
const ID_STOP = 6;
const DATA = 7;
const IGNORABLE = 8;
// Two words each.
const SEQ = 10;
const TURN = 12;
const HASH = 14;

/** `,"prev":"<16 hex>"` and `,"xxh64":"<16 hex>"}`: the end of each line that has its members in order. */
export const TAIL_BYTES = 54;
const PREVIOUS_NAME_BYTES = 9;

export class LinePositions {
  #words = new Int32Array(RECORD_WORDS);
  #hashes = new BigUint64Array(this.#words.buffer);
  #word = 0;
  /** What is added to a place in the scanner's memory. */
  #shift = 0;

  /** Takes over the first records of a scanner, whose bytes began at `origin` of their buffer, and stands on the first. */
  take(scanner: Scanner, records: number, origin: number): void {
    const words = records * RECORD_WORDS;
    if (this.#words.length < words) {
      this.#words = new Int32Array(words * 2);
      this.#hashes = new BigUint64Array(this.#words.buffer);
    }
    this.#words.set(scanner.words.subarray(0, words));
    this.#word = 0;
    this.#shift = origin - scanner.origin;
  }

  /** Stands on another of the records that were taken over. */
  moveTo(record: number): void {
    this.#word = record * RECORD_WORDS;
  }

  get start(): number {
    return this.#words[this.#word + START]! + this.#shift;
  }

  /** Behind the last byte, LF not counted. */
  get stop(): number {
    return this.#words[this.#word + STOP]! + this.#shift;
  }

  get seq(): number {
    return this.#numberAt(SEQ);
  }

  get time(): number {
    return this.#words[this.#word + TIME]! + this.#shift;
  }

  get type(): number {
    return this.#words[this.#word + TYPE]! + this.#shift;
  }

  get typeStop(): number {
    return this.#words[this.#word + TYPE_STOP]! + this.#shift;
  }

  /** 0 if there is none. */
  get turn(): number {
    return this.#numberAt(TURN);
  }

  get hasId(): boolean {
    return this.#words[this.#word + ID] !== 0;
  }

  /** Of the string with its quotes, if there is one. */
  get id(): number {
    return this.#words[this.#word + ID]! + this.#shift;
  }

  get idStop(): number {
    return this.#words[this.#word + ID_STOP]! + this.#shift;
  }

  get ignorable(): boolean {
    return this.#words[this.#word + IGNORABLE] !== 0;
  }

  get data(): number {
    return this.#words[this.#word + DATA]! + this.#shift;
  }

  /** Behind the last byte of the data, where no other member stands behind it. */
  get dataStop(): number {
    return this.stop - TAIL_BYTES;
  }

  /** Of the digits of `prev`. */
  get previous(): number {
    return this.stop - TAIL_BYTES + PREVIOUS_NAME_BYTES;
  }

  /** The checksum, if it was computed. */
  get hash(): bigint {
    return this.#hashes[(this.#word + HASH) / 2]!;
  }

  #numberAt(member: number): number {
    const words = this.#words;
    const word = this.#word + member;
    return wholeNumber(words[word]!, words[word + 1]!);
  }
}
