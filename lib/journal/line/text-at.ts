// Bytes of a line as text. What is no UTF-8 is refused, and not only replaced; that is looked at where the replacement
// shows, because a decoder that refuses by itself takes twice as long for a short text.

const REPLACEMENT = '\ufffd';
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws TypeError where the bytes are not UTF-8 */
export function textAt(buffer: Buffer, start: number, stop: number): string {
  const text = buffer.toString('utf8', start, stop);
  return text.includes(REPLACEMENT) ? strict.decode(buffer.subarray(start, stop)) : text;
}
