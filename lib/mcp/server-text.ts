// Text of a server that is not a message, on its way to the log: a bounded number of lines, safe for a terminal, and
// without private keys, which the log could not recognise one line at a time.
import { sanitizeLine } from '../display/sanitize.ts';
import { createPrivateKeyLines } from '../environment/private-key-lines.ts';

const MAX_LINES = 200;
/** More than the log keeps of a text: the log cuts after it has redacted, so no cut leaves half of a secret. */
const MAX_CHARACTERS = 32 * 1024;

export class ServerText {
  #lines = 0;
  readonly #onText: (line: string) => void;

  constructor(onText: (line: string) => void) {
    this.#onText = onText;
  }

  /** Returns a function for the lines of one stream. Lines of different streams do not belong together. */
  stream(): (line: string) => void {
    const keys = createPrivateKeyLines();
    let wasKey = false;
    return (line) => {
      const isKey = keys.takes(line);
      if (!isKey) this.#pass(sanitizeLine(line.slice(0, MAX_CHARACTERS)));
      else if (!wasKey) this.#pass('[redacted private-key]');
      wasKey = isKey;
    };
  }

  #pass(line: string): void {
    this.#lines += 1;
    if (this.#lines <= MAX_LINES) this.#onText(line);
    if (this.#lines === MAX_LINES) this.#onText('(Further text of this server is not kept.)');
  }
}
