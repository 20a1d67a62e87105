// Markdown that grows at its end: only its last blocks are read again, so that the work for an answer grows with its
// length and not with its square. Pure.
import { Lexer, type Token } from 'marked';
import { visible } from './visible.ts';

/** Later words may still continue these: a list goes on after an empty line, a paragraph becomes a table. */
const LAST_BLOCKS = 2;

export class GrowingMarkdown {
  /** As it came. */
  #text = '';
  /** The text after the finished blocks, with hidden characters as escapes. */
  #rest = '';
  #finished: Token[] = [];
  #last: readonly Token[] = [];

  /** Blocks that do not change any more, in an array that only grows while the text does. */
  get finished(): readonly Token[] {
    return this.#finished;
  }

  /** Blocks that may. */
  get last(): readonly Token[] {
    return this.#last;
  }

  /** `text`: all of it. A text that does not begin with the known one is read from its beginning. */
  grow(text: string): this {
    // A line may end with two characters of which the second is still to come.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (whole === this.#text) return this;
    if (!whole.startsWith(this.#text)) {
      this.#text = '';
      this.#rest = '';
      this.#finished = [];
    }
    this.#rest += visible(whole.slice(this.#text.length));
    this.#text = whole;
    const tokens = lexed(this.#rest);
    const end = endOfFinished(tokens);
    this.#finished.push(...tokens.slice(0, end));
    this.#rest = this.#rest.slice(tokens.slice(0, end).reduce((sum, { raw }) => sum + raw.length, 0));
    this.#last = tokens.slice(end);
    return this;
  }
}

/** The blocks of a text; one paragraph where it cannot be taken apart. */
export function lexed(text: string): Token[] {
  try {
    return new Lexer({ gfm: true }).lex(text);
  } catch {
    return [{ type: 'paragraph', raw: text, text, tokens: [{ type: 'text', raw: text, text }] }];
  }
}

function endOfFinished(tokens: readonly Token[]): number {
  let [end, blocks] = [tokens.length, 0];
  while (end > 0 && blocks < LAST_BLOCKS) {
    end -= 1;
    if (tokens[end]!.type !== 'space') blocks += 1;
  }
  return blocks < LAST_BLOCKS ? 0 : end;
}
