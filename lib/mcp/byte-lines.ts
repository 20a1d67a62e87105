// Splits bytes into lines as they come. After a line that is too long no other one comes: it cannot be known where
// the next message would begin.

const LINE_FEED = 0x0a;

interface ByteLineEvents {
  readonly line: (text: string) => void;
  /** Called once. */
  readonly overflow: () => void;
}

export class ByteLines {
  #pieces: Buffer[] = [];
  #length = 0;
  #isOver = false;
  readonly #maxBytes: number;
  readonly #on: ByteLineEvents;

  constructor(maxBytes: number, on: ByteLineEvents) {
    this.#maxBytes = maxBytes;
    this.#on = on;
  }

  push(chunk: Buffer): void {
    let from = 0;
    while (!this.#isOver) {
      const at = chunk.indexOf(LINE_FEED, from);
      const piece = chunk.subarray(from, at === -1 ? undefined : at);
      this.#pieces.push(piece);
      this.#length += piece.length;
      if (this.#length > this.#maxBytes) {
        this.#isOver = true;
        this.#pieces = [];
        this.#on.overflow();
        return;
      }
      if (at === -1) return;
      const line = Buffer.concat(this.#pieces, this.#length).toString('utf8');
      this.#pieces = [];
      this.#length = 0;
      from = at + 1;
      this.#on.line(line);
    }
  }
}
