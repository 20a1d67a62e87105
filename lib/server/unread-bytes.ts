// The bytes that all streams of events together hold for clients that do not read. If a write would exceed the bound,
// the clients that hold most are let go: they return by their last id. A client that reads holds nothing, and is never
// let go.

interface UnreadStream {
  readonly writableLength: number;
}

export class UnreadBytes {
  readonly #mostBytes: number;
  readonly #clients = new Map<UnreadStream, { bytes: number; readonly letGo: () => void }>();
  /** Never less than the held bytes; more while a client reads. */
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  add(client: UnreadStream, letGo: () => void): void {
    this.#clients.set(client, { bytes: 0, letGo });
  }

  remove(client: UnreadStream): void {
    this.#bytes -= this.#clients.get(client)?.bytes ?? 0;
    this.#clients.delete(client);
  }

  /** After a write. */
  note(client: UnreadStream): void {
    const held = this.#clients.get(client);
    if (held === undefined) return;
    this.#bytes += client.writableLength - held.bytes;
    held.bytes = client.writableLength;
  }

  /** Before a write of `bytes` bytes. */
  makeRoom(bytes: number): void {
    if (this.#bytes + bytes <= this.#mostBytes) return;
    for (const client of this.#clients.keys()) this.note(client);
    if (this.#bytes + bytes <= this.#mostBytes) return;
    // To a half, so that not every write has to look at all clients.
    const most = this.#mostBytes / 2 - bytes;
    const byBytes = [...this.#clients].sort(([, one], [, other]) => other.bytes - one.bytes);
    for (const [client, { bytes: held, letGo }] of byBytes) {
      if (this.#bytes <= most || held === 0) return;
      this.remove(client);
      letGo();
    }
  }
}
