// The background colour of the terminal: the query is sent once (OSC 11), and the reply is taken out of the typed
// input. A terminal that does not know the query does not reply.
import type { Theme } from '../../display/paint.ts';

export const BACKGROUND_QUERY = '\x1b]11;?\x07';

const REPLY = /\x1b\]11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?(?:\x07|\x1b\\)/i;
/** The end of the input, if it may be the beginning of a reply. */
const BEGUN_REPLY = /\x1b(?:\](?:1(?:1(?:;[\x20-\x7e]{0,30}\x1b?)?)?)?)$/;

export class BackgroundReply {
  readonly #onTheme: (theme: Theme) => void;
  #held = '';
  #isAwaited = true;

  constructor(onTheme: (theme: Theme) => void) {
    this.#onTheme = onTheme;
  }

  /** The typed text, without the reply. */
  take(text: string): string {
    if (!this.#isAwaited) return text;
    const all = this.#held + text;
    this.#held = '';
    const reply = REPLY.exec(all);
    if (reply === null) {
      this.#held = BEGUN_REPLY.exec(all)?.[0] ?? '';
      return all.slice(0, all.length - this.#held.length);
    }
    this.#isAwaited = false;
    const [red = 0, green = 0, blue = 0] = reply
      .slice(1, 4)
      .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
    this.#onTheme(0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark');
    return all.slice(0, reply.index) + all.slice(reply.index + reply[0].length);
  }
}
