// The arguments of a call while they are being written, in the words of the bottom line: the file that they name, as
// soon as they name it, and their size.
import { sanitizeLine } from '../../display/sanitize.ts';
import { parseJson } from '../../platform/json.ts';
import type { ToolInput } from '../turn-view.ts';

/** A name after a long text is not found: nothing grows with the arguments. */
const MOST_SEARCHED = 4000;
const PATH = /"(?:path|file|file_path|filename)"\s*:\s*("(?:[^"\\]|\\.)*")/;
const CHANGES = /write|edit|create|patch/;

export class CallInput {
  #key: string | undefined;
  #head = '';
  #bytes = 0;

  take({ key, text }: Pick<ToolInput, 'key' | 'text'>): void {
    if (key !== this.#key) {
      this.#key = key;
      this.#head = '';
      this.#bytes = 0;
    }
    this.#bytes += Buffer.byteLength(text);
    if (this.#head.length < MOST_SEARCHED) this.#head += text.slice(0, MOST_SEARCHED);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `src/big.txt` for a tool that writes it, `bash` or `file_read src/big.txt` for another one. */
  wordsFor(name: string): string {
    const found = PATH.exec(this.#head)?.[1];
    const path = found === undefined ? undefined : parseJson(found);
    const words = typeof path === 'string' ? [...(CHANGES.test(name) ? [] : [name]), path] : [name];
    return sanitizeLine(words.join(' '));
  }
}
