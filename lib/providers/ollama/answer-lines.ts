// Checks Ollama's streamed answer line by line before the client reads it: the client skips a line that it cannot
// parse, and reads a broken character as a question mark. Only whole lines of valid UTF-8 and JSON leave here, and the
// last of them says that the answer is done.
import { isOllmError, type OllmError } from '../../errors/index.ts';
import { parseObject } from '../../platform/json.ts';
import type { Failures } from '../http/failures.ts';
import type { BodyCheck } from '../http/guarded-fetch.ts';

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;

/** @throws OllmError PROVIDER_BROKEN_STREAM, PROVIDER_FAILED from `push` and `end` */
export function createLineCheck(failures: Failures): BodyCheck {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let isDone = false;
  let failure: OllmError | undefined;

  const checkLine = (line: Uint8Array) => {
    const answer = parse(line, decoder, failures);
    if (answer === undefined) return;
    if (typeof answer.error === 'string') throw failures.failed(answer);
    if (answer.done === true) isDone = true;
  };

  return {
    push(bytes) {
      const lastLineEnd = bytes.lastIndexOf(LF);
      if (lastLineEnd === -1) {
        pending.push(bytes);
        pendingBytes += bytes.length;
        if (pendingBytes > MAX_LINE_BYTES) throw failures.nonsense('a line of its answer does not end');
        return new Uint8Array();
      }
      const whole = Buffer.concat([...pending, bytes.subarray(0, lastLineEnd + 1)]);
      pending = lastLineEnd + 1 < bytes.length ? [bytes.subarray(lastLineEnd + 1)] : [];
      pendingBytes = bytes.length - lastLineEnd - 1;
      let start = 0;
      try {
        while (start < whole.length) {
          const end = whole.indexOf(LF, start);
          checkLine(whole.subarray(start, end));
          start = end + 1;
        }
      } catch (error) {
        // The lines before it are part of the answer: they go on first, and the failure follows them.
        if (start === 0 || !isOllmError(error)) throw error;
        failure = error;
      }
      return whole.subarray(0, start);
    },
    get failure() {
      return failure;
    },
    end() {
      const rest = Buffer.concat(pending);
      try {
        checkLine(rest);
      } catch (error) {
        // Half a line at the end is not nonsense: the connection broke.
        throw isOllmError(error, 'PROVIDER_BROKEN_STREAM') ? failures.cutOff() : error;
      }
      if (!isDone) throw failures.cutOff();
      return rest;
    },
  };
}

/** Undefined for a blank line. */
function parse(
  line: Uint8Array,
  decoder: InstanceType<typeof TextDecoder>,
  failures: Failures,
): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = decoder.decode(line);
  } catch (error) {
    throw failures.nonsense('a line of its answer is not valid UTF-8', error);
  }
  if (text.trim() === '') return undefined;
  const value = parseObject(text);
  if (value === undefined) throw failures.nonsense('a line of its answer is not a JSON object');
  return value;
}
