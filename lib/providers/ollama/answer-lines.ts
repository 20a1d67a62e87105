// Reads Ollama's streamed answer line by line before the client does: the client skips a line that it cannot parse, and
// reads a broken character as a question mark. Only whole lines of valid UTF-8 and JSON leave here, each an object of
// an answer, and the last of them says that the answer is done.
import { isOllmError } from '../../errors/index.ts';
import { isObject, parseJson } from '../../platform/json.ts';
import { BodyCheck } from '../http/body-check.ts';
import { errorIn } from '../http/error-message.ts';
import { readWhole } from '../http/whole-answer.ts';

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;

/** @throws OllmError PROVIDER_BROKEN_STREAM, PROVIDER_FAILED from `push` and `end` */
export class LineCheck extends BodyCheck {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Text that is not part of an answer, until there is a part of one. */
  #stray = '';
  #isDone = false;

  protected override take(bytes: Uint8Array): void {
    const lastLineEnd = bytes.lastIndexOf(LF);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (lastLineEnd === -1) {
      if (this.#pendingBytes > MAX_LINE_BYTES) throw this.failures.nonsense('a line of its answer does not end');
      return;
    }
    const whole = Buffer.concat(this.#pending);
    const end = whole.lastIndexOf(LF);
    this.#pending = [whole.subarray(end + 1)];
    this.#pendingBytes = whole.length - end - 1;
    let start = 0;
    while (start <= end) {
      const lineEnd = whole.indexOf(LF, start);
      this.#takeLine(whole.subarray(start, lineEnd));
      start = lineEnd + 1;
    }
  }

  protected override takeEnd(): void {
    this.#takeRest(Buffer.concat(this.#pending));
    if (!this.failures.hasBegun && this.#stray.trim() !== '')
      for (const part of readWhole(this.#stray, { take: fitLine, whole: fitLine }, this.failures)) this.#handOn(part);
    if (!this.#isDone) throw this.failures.cutOff();
  }

  #takeRest(bytes: Uint8Array): void {
    try {
      this.#takeLine(bytes);
    } catch (error) {
      // Half a line at the end is not nonsense: the connection broke.
      throw isOllmError(error, 'PROVIDER_BROKEN_STREAM') ? this.failures.cutOff() : error;
    }
  }

  #takeLine(bytes: Uint8Array): void {
    const line = this.#decoded(bytes);
    if (line.trim() === '') return;
    const value = parseJson(line);
    if (value !== undefined) {
      this.#takeValue(value);
      return;
    }
    if (this.failures.hasBegun) throw this.failures.nonsense('a line of its answer is not JSON');
    this.#stray += `${line}\n`;
    if (this.#stray.length > MAX_LINE_BYTES) throw this.failures.nonsense('its answer does not end');
  }

  #takeValue(value: unknown): void {
    const parts = fitLine(value);
    const error = parts.length === 0 ? errorIn(value) : undefined;
    if (error !== undefined) throw this.failures.said(error);
    for (const part of parts) this.#handOn(part);
  }

  #handOn(part: unknown): void {
    this.out.push(`${JSON.stringify(part)}\n`);
    this.failures.hasBegun = true;
    this.#isDone ||= isObject(part) && part.done === true;
  }

  #decoded(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch (error) {
      throw this.failures.nonsense('a line of its answer is not valid UTF-8', error);
    }
  }
}

/** An object of an answer with members of the right types; none if it has no use. */
function fitLine(value: unknown): readonly unknown[] {
  if (!isObject(value)) return [];
  const { message, done, error } = value;
  if (!isObject(message) && (done !== true || error !== undefined)) return [];
  const { content, thinking, tool_calls: calls } = isObject(message) ? message : {};
  return [
    {
      ...value,
      done: done === true,
      message: {
        role: 'assistant',
        content: typeof content === 'string' ? content : '',
        ...(typeof thinking === 'string' && { thinking }),
        ...(Array.isArray(calls) && { tool_calls: calls.filter(isCall) }),
      },
    },
  ];
}

function isCall(call: unknown): boolean {
  return (
    isObject(call) && isObject(call.function) && typeof call.function.name === 'string' && call.function.name !== ''
  );
}
