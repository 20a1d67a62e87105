// An answer that another thread has made a text of already, in the envelope of every answer: it goes to the client as
// it is. Plain data, because it comes from that thread.
export interface ReadyJson<Value> {
  /** UTF-8. In memory of its own, which can be handed to another thread. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** The type of the parsed text; never set. */
  readonly value?: Value;
}

export function readyJson<Value>(value: Value): ReadyJson<Value> {
  return readyText([JSON.stringify(value)]);
}

/** JSON text from pieces: those that are bytes already are used as they are. */
export function readyText<Value>(pieces: readonly (string | Uint8Array)[]): ReadyJson<Value> {
  const all = ['{"success":true,"data":', ...pieces, '}'];
  const sizes = all.map((piece) => (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength));
  const json = Buffer.from(new ArrayBuffer(sizes.reduce((sum, size) => sum + size, 0)));
  let end = 0;
  for (const [index, piece] of all.entries()) {
    if (typeof piece === 'string') json.write(piece, end);
    else json.set(piece, end);
    end += sizes[index]!;
  }
  return { json };
}
