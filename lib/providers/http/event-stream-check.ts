// Looks through a stream of server-sent events before a client reads it: the clients take a broken character for a
// question mark, and keep a line in memory for as long as it continues. What leaves here is valid UTF-8 in bounded
// lines.
import type { BodyCheck, GuardWords } from './guarded-fetch.ts';

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;

export function createEventStreamCheck(failures: Pick<GuardWords, 'nonsense'>): BodyCheck {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lineBytes = 0;
  const decode = (bytes: Uint8Array, stream: boolean): void => {
    try {
      decoder.decode(bytes, { stream });
    } catch (error) {
      throw failures.nonsense('its answer is not valid UTF-8', error);
    }
  };
  return {
    push(bytes) {
      decode(bytes, true);
      const lastLineEnd = bytes.lastIndexOf(LF);
      lineBytes = lastLineEnd === -1 ? lineBytes + bytes.length : bytes.length - lastLineEnd - 1;
      if (lineBytes > MAX_LINE_BYTES) throw failures.nonsense('a line of its answer does not end');
      return bytes;
    },
    // Half a character at the end is an answer that was cut off: that the end is missing is found out by who reads it.
    end: () => new Uint8Array(),
  };
}
