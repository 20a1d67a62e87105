// Reads Bedrock's stream frame by frame before the vendor's package does, which gives up an answer for one odd piece
// and drops errors of kinds that it does not know. What leaves here are whole frames with right checksums.
import { isObject, parseJson } from '../../platform/json.ts';
import { BodyCheck } from '../http/body-check.ts';
import type { ChunkReader } from '../http/chunk-reader.ts';
import type { Failures } from '../http/failures.ts';
import { readWhole } from '../http/whole-answer.ts';
import { type Frame, frameLength, readFrame, writeFrame } from './frames.ts';

const MAX_TEXT_BYTES = 16 * 1024 * 1024;

export class FrameCheck extends BodyCheck {
  readonly #reader: ChunkReader;
  #pending: Buffer = Buffer.alloc(0);
  /** Not a stream of frames: a document, which is read at its end. */
  #isText = false;

  constructor(failures: Failures, reader: ChunkReader) {
    super(failures);
    this.#reader = reader;
  }

  protected override takeEnd(): void {
    if (this.#pending.length === 0) return;
    if (!this.#isText) throw this.failures.cutOff();
    this.#handOn(readWhole(this.#pending.toString('utf8'), this.#reader, this.failures));
  }

  protected override take(given: Uint8Array): void {
    this.#pending = Buffer.concat([this.#pending, given]);
    while (!this.#isText) {
      const length = frameLength(this.#pending);
      if (length === undefined) return;
      if (length === null) {
        if (this.failures.hasBegun) throw this.failures.nonsense('its frames are damaged');
        this.#isText = true;
        break;
      }
      if (this.#pending.length < length) return;
      const bytes = this.#pending.subarray(0, length);
      this.#pending = this.#pending.subarray(length);
      const frame = readFrame(bytes);
      if (frame === undefined) throw this.failures.nonsense('its frames are damaged');
      this.#takeFrame(frame, bytes);
    }
    if (this.#pending.length > MAX_TEXT_BYTES) throw this.failures.nonsense('its answer does not end');
  }

  #takeFrame({ headers, body }: Frame, bytes: Buffer): void {
    const payload = parseJson(body);
    const exception = headers[':exception-type'] ?? headers[':error-code'];
    if (exception !== undefined) {
      const { message, Message } = isObject(payload) ? payload : {};
      const words = [message, Message, headers[':error-message']].find((each) => typeof each === 'string');
      throw this.failures.said({ message: words ?? exception, code: exception });
    }
    const type = headers[':event-type'];
    if (type === undefined) return;
    if (payload === undefined) throw this.failures.nonsense('a piece of its answer is not JSON');
    const taken = this.#reader.take({ [type]: payload });
    const [first] = taken;
    // Most frames need no change.
    if (taken.length === 1 && isObject(first) && first[type] === payload) {
      this.out.push(bytes);
      this.failures.hasBegun = true;
    } else this.#handOn(taken);
  }

  #handOn(chunks: readonly unknown[]): void {
    for (const chunk of chunks)
      for (const [type, payload] of Object.entries(chunk as object)) {
        this.out.push(writeFrame(type, payload));
        this.failures.hasBegun = true;
      }
  }
}
