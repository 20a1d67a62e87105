// Bytes of a line as text. Most of what is read is short and plain: then each byte is a character, and going over them is
// quicker than asking for a decoder.

/** From here on a decoder is quicker. */
const SHORT_BYTES = 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws TypeError where the bytes are not UTF-8 */
export function textAt(buffer: Buffer, start: number, stop: number): string {
  return stop - start <= SHORT_BYTES && isPlain(buffer, start, stop)
    ? buffer.toString('latin1', start, stop)
    : utf8.decode(buffer.subarray(start, stop));
}

function isPlain(buffer: Buffer, start: number, stop: number): boolean {
  let bits = 0;
  for (let at = start; at < stop; at += 1) bits |= buffer[at]!;
  return bits < 0x80;
}
