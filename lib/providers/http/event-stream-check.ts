// Reads a stream of server-sent events before a vendor's package does: the packages take a broken character for a
// question mark, keep a line in memory for as long as it continues, and give up an answer for one odd piece. What
// leaves here is valid UTF-8 in bounded lines, each event a piece that the wire's reader has let through.
import { parseJson } from '../../platform/json.ts';
import { BodyCheck } from './body-check.ts';
import type { ChunkReader } from './chunk-reader.ts';
import type { Failures } from './failures.ts';
import { readWhole } from './whole-answer.ts';

const MAX_LINE_LENGTH = 16 * 1024 * 1024;
const FIELD = /^(data|event|id|retry)?(?::|$)/;
const DONE = '[DONE]';

export class EventStreamCheck extends BodyCheck {
  readonly #reader: ChunkReader;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The line that has not ended yet. */
  #line: string[] = [];
  #lineLength = 0;
  /** The lines of data of the event that has not ended yet. */
  #data: string[] = [];
  /** Text that is not part of any event, until there is an event. */
  #stray = '';

  constructor(failures: Failures, reader: ChunkReader) {
    super(failures);
    this.#reader = reader;
  }

  protected override take(bytes: Uint8Array): void {
    const [rest = '', ...lines] = this.#decoded(bytes).split('\n');
    this.#addToLine(rest);
    for (const line of lines) {
      this.#endLine();
      this.#addToLine(line);
    }
  }

  /** Half a character or half a line at the end is an answer that was cut off: the reader of the stream notices. */
  protected override takeEnd(): void {
    this.#endLine();
    if (this.#data.length > 0 && parseJson(this.#data.join('\n')) === undefined) this.#data = [];
    this.#endEvent();
    if (this.failures.hasBegun || this.#stray.trim() === '') return;
    this.#handOn(readWhole(this.#stray, this.#reader, this.failures));
    this.out.push(`data: ${DONE}\n\n`);
  }

  #decoded(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: true });
    } catch (error) {
      throw this.failures.nonsense('its answer is not valid UTF-8', error);
    }
  }

  #addToLine(text: string): void {
    this.#lineLength += text.length;
    if (this.#lineLength > MAX_LINE_LENGTH) throw this.failures.nonsense('a line of its answer does not end');
    if (text !== '') this.#line.push(text);
  }

  #endLine(): void {
    const line = this.#line.splice(0).join('').replace(/\r$/, '');
    this.#lineLength = 0;
    if (line === '') {
      this.#endEvent();
      return;
    }
    const [prefix, name] = FIELD.exec(line) ?? [];
    if (prefix === undefined) this.#addStray(line);
    else if (name === 'data') this.#data.push(line.slice(prefix.length).replace(/^ /, ''));
  }

  #endEvent(): void {
    if (this.#data.length === 0) return;
    const data = this.#data.splice(0).join('\n');
    if (data.trim() === DONE) {
      this.#handOn(this.#reader.done?.() ?? []);
      this.out.push(`data: ${DONE}\n\n`);
      return;
    }
    const chunk = parseJson(data);
    if (chunk !== undefined) this.#handOn(this.#reader.take(chunk));
    else if (/^\s*[[{]/.test(data)) throw this.failures.nonsense('a piece of its answer is not JSON');
    else this.#addStray(data);
  }

  #handOn(chunks: readonly unknown[]): void {
    for (const chunk of chunks) {
      this.out.push(`data: ${JSON.stringify(chunk)}\n\n`);
      this.failures.hasBegun = true;
    }
  }

  /** Such as words that keep a connection open, or a page. */
  #addStray(text: string): void {
    if (this.failures.hasBegun) return;
    this.#stray += `${text}\n`;
    if (this.#stray.length > MAX_LINE_LENGTH) throw this.failures.nonsense('its answer does not end');
  }
}
