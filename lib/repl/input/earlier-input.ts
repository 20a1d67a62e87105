// Earlier entries, as the arrow keys go through them: those that begin like the text before the cursor, and at the end
// the original text. The arrow keys keep that beginning; any other key sets a new one.
import type { EditedText } from './buffer.ts';
import { isShownAsIs } from './paste-shelf.ts';

const MOST_ENTRIES = 1000;

export class EarlierInput {
  /** Newest first. */
  readonly #remembered: string[];
  /** Which one is in the line; -1: none. */
  #at = -1;
  #beginning: string | undefined;
  /** The text that was in the line before. */
  #draft = '';

  /** `remembered`: newest first. */
  constructor(remembered: readonly string[]) {
    this.#remembered = [...remembered];
  }

  /** Newest first, each once. */
  get entries(): readonly string[] {
    return [...new Set(this.#remembered)];
  }

  /** The last key went through the entries. */
  get isWalking(): boolean {
    return this.#at !== -1 && this.#beginning !== undefined;
  }

  /** Undefined: there is none. */
  older(line: EditedText): string | undefined {
    if (this.#at === -1) this.#draft = line.text;
    const found = this.#next(line, 1);
    if (this.#at === -1) this.rest();
    return found;
  }

  /** Undefined: the line holds nothing of these. */
  newer(line: EditedText): string | undefined {
    if (this.#at === -1) return undefined;
    const found = this.#next(line, -1);
    if (found === undefined) this.reset();
    return found ?? this.#draft;
  }

  /** A different key was pressed. */
  rest(): void {
    this.#beginning = undefined;
  }

  /** The next line begins. */
  reset(): void {
    this.rest();
    this.#at = -1;
  }

  /** Makes an entry the newest. */
  remember(entry: string): void {
    if (entry.startsWith(' ') || entry.trim() === '' || !isShownAsIs(entry)) return;
    if (this.#remembered[0] !== entry) this.#remembered.unshift(entry);
    this.#remembered.length = Math.min(this.#remembered.length, MOST_ENTRIES);
  }

  #next({ text, cursor }: EditedText, step: 1 | -1): string | undefined {
    this.#beginning ??= text.slice(0, cursor);
    for (let at = this.#at + step; at >= 0 && at < this.#remembered.length; at += step) {
      const entry = this.#remembered[at]!;
      if (!entry.startsWith(this.#beginning) || entry === text) continue;
      this.#at = at;
      return entry;
    }
    return undefined;
  }
}
