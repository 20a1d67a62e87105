// Data → the bytes of its JSON, the same that toJson would make of it, for data with long texts in it. Those go to bytes
// directly (escape.ts); everything else is put together as text. What is made here stays until it is all cleared.
import { eachEscapedPiece } from './escape.ts';
import { toJson } from './line-buffer.ts';

/** From this length on a text is better off here than in JSON.stringify, which is quicker at everything around it. */
export const LONG_TEXT_LENGTH = 400;
/** Where there is such a text, those from this length on go the same way. */
const DIRECT_LENGTH = 64;

const NOTHING = Buffer.alloc(0);
const SMALLEST_BYTES = 64 * 1024;
const KEPT_BYTES = 1024 * 1024;

export class JsonBytes {
  #bytes = NOTHING;
  /** Where the JSON under way begins, and how far it has come. */
  #start = 0;
  #used = 0;
  /** What comes behind that, not yet written. */
  #text = '';

  /** The JSON of data that may be stored (validate.ts). Its bytes stay as they are until `clear`. */
  of(data: object): Buffer {
    this.#start = this.#used;
    this.#text = '';
    this.#add(data);
    this.#write();
    return this.#bytes.subarray(this.#start, this.#used);
  }

  /** Gives all of it up, and memory that much of it took. */
  clear(): void {
    this.#used = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = NOTHING;
  }

  #add(value: unknown): void {
    if (typeof value === 'string') this.#addString(value);
    else if (Array.isArray(value)) this.#addArray(value);
    else if (typeof value === 'object' && value !== null) this.#addObject(value as Record<string, unknown>);
    else if (typeof value === 'boolean' || Number.isFinite(value)) this.#text += value;
    // A getter may have something else to say each time; then it is what JSON makes of that.
    else this.#text += JSON.stringify(value) ?? 'null';
  }

  #addString(value: string): void {
    if (value.length < DIRECT_LENGTH) {
      this.#text += PLAIN.test(value) ? `"${value}"` : toJson(value);
      return;
    }
    this.#text += '"';
    this.#write();
    eachEscapedPiece(value, this.#take);
    this.#text = '"';
  }

  #addArray(values: readonly unknown[]): void {
    this.#text += '[';
    for (let index = 0; index < values.length; index += 1) {
      if (index > 0) this.#text += ',';
      this.#add(values[index]);
    }
    this.#text += ']';
  }

  #addObject(members: Record<string, unknown>): void {
    let before = '{';
    for (const key of Object.keys(members)) {
      const value = members[key];
      if (value === undefined) continue;
      this.#text += before;
      this.#text += keyed(key);
      this.#add(value);
      before = ',';
    }
    this.#text += before === '{' ? '{}' : '}';
  }

  #write(): void {
    this.#reserve(this.#text.length * 3);
    this.#used += this.#bytes.write(this.#text, this.#used);
    this.#text = '';
  }

  readonly #take = (piece: Buffer, length: number): void => {
    this.#reserve(length);
    piece.copy(this.#bytes, this.#used, 0, length);
    this.#used += length;
  };

  /** What was handed out before stays where it is. */
  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return;
    const length = this.#used - this.#start;
    const grown = Buffer.allocUnsafeSlow(Math.max((length + bytes) * 2, SMALLEST_BYTES));
    this.#bytes.copy(grown, 0, this.#start, this.#used);
    this.#bytes = grown;
    this.#start = 0;
    this.#used = length;
  }
}

/** Text that JSON holds as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The same few names come again and again; who makes ever new ones does not fill the memory with them. */
const KEYED_MOST = 512;
const keyedNames = new Map<string, string>();

/** `"name":` */
function keyed(name: string): string {
  let text = keyedNames.get(name);
  if (text === undefined) {
    text = `${toJson(name)}:`;
    if (keyedNames.size < KEYED_MOST && name.length < DIRECT_LENGTH) keyedNames.set(name, text);
  }
  return text;
}
