// Cuts bytes into pieces where their content says so, so that bytes that stay the same give the same pieces wherever
// they are, whatever was put in or taken away before them. Where a cut is depends on the 32 bytes before it alone. How
// pieces are cut is remembered nowhere: both sides of a comparison are cut by the same program.
import { hash } from 'node:crypto';

/** Pieces have 2 KiB on average, those of a very long source more, so that there are never very many. */
const AVERAGE_BITS = 11;
const MANY_PIECES_BITS = 16;
const MAX_TIMES_AVERAGE = 8;
const MIN_BYTES = 256;

export class ContentPieces {
  readonly #shift: number;
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  /** `sourceBytes`: of either side of the comparison, the same for both. */
  constructor(sourceBytes: number) {
    const bits = Math.max(AVERAGE_BITS, Math.ceil(Math.log2(sourceBytes + 1)) - MANY_PIECES_BITS);
    this.#shift = 32 - bits;
    this.#maxBytes = MAX_TIMES_AVERAGE * 2 ** bits;
  }

  /** The pieces that are whole now. They share the memory of `bytes`. */
  take(bytes: Buffer): Buffer[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const pieces: Buffer[] = [];
    let start = 0;
    for (let end = this.#endOfPiece(all, 0); end !== undefined; end = this.#endOfPiece(all, start)) {
      pieces.push(all.subarray(start, end));
      start = end;
    }
    this.#rest = Buffer.from(all.subarray(start));
    return pieces;
  }

  /** What is left behind the last whole piece; empty if nothing is. */
  end(): Buffer {
    return this.#rest;
  }

  #endOfPiece(bytes: Buffer, start: number): number | undefined {
    const limit = Math.min(bytes.length, start + this.#maxBytes);
    let rolling = 0;
    for (let at = start + MIN_BYTES; at < limit; at += 1) {
      rolling = ((rolling << 1) + SCATTERED[bytes[at]!]!) | 0;
      if (rolling >>> this.#shift === 0) return at + 1;
    }
    return limit - start === this.#maxBytes ? limit : undefined;
  }
}

/** For each byte 32 bits that look like chance. */
const SCATTERED = Int32Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(hash('sha256', `${byte}`, 'buffer')).readInt32LE(),
);
