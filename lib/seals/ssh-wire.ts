// The encoding of SSH: strings with their length before them, as RFC 4251, section 5 has them.

/** A reader that throws `RangeError` where the bytes end too early. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new RangeError('The bytes end too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  number(): number {
    return this.bytes(4).readUInt32BE();
  }

  string(): Buffer {
    return this.bytes(this.number());
  }

  text(): string {
    return this.string().toString('latin1');
  }
}

/** A string with its length. */
export function wireString(content: Uint8Array | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
  return Buffer.concat([wireNumber(bytes.length), bytes]);
}

export function wireNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
