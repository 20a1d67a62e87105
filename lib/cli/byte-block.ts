// Bytes put one behind the other in memory that is used again for the next block: what prints very much makes no text of it.

const BLANK = 0x20;
const LINE_FEED = 0x0a;

export class ByteBlock {
  length = 0;
  #bytes: Buffer;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  hasRoomFor(count: number): boolean {
    return this.length + count <= this.#bytes.length;
  }

  /** What was put there, until something is put there again. Makes room for `count` bytes. */
  taken(count: number): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.length);
    if (count > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(count);
    this.length = 0;
    return bytes;
  }

  put(source: Uint8Array, from = 0, to: number = source.length): void {
    // A few bytes at a time, for which a call of the system's takes longer.
    for (let at = from; at < to; at += 1) this.#bytes[this.length++] = source[at]!;
  }

  putText(text: string): void {
    this.length += this.#bytes.write(text, this.length);
  }

  putBlanks(count: number): void {
    for (let left = count; left > 0; left -= 1) this.#bytes[this.length++] = BLANK;
  }

  /** Without blanks at its end. `start`: of the line. */
  endLine(start: number): void {
    while (this.length > start && this.#bytes[this.length - 1] === BLANK) this.length -= 1;
    this.#bytes[this.length++] = LINE_FEED;
  }
}
