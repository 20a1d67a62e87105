// A value that another thread has made a text of already: it goes to the client as it is. Plain data, because it comes
// from that thread.
export interface ReadyJson<Value> {
  /** UTF-8. */
  readonly json: Uint8Array;
  /** What the text says; never there. */
  readonly value?: Value;
}

export function readyJson<Value>(value: Value): ReadyJson<Value> {
  return { json: Buffer.from(JSON.stringify(value)) };
}
