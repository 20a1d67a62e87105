// Reads runs of characters in one text. A run that was read before is not read again, so the work stays proportional to
// the text, for any text. `steps` counts it.

/** Kinds of characters, any number of them: sticky, so that a run begins at the given place. */
export const RUNS = {
  alphanumeric: /[\da-z]*/iy,
  base64: /[\da-z+/=]*/iy,
  dashed: /[\w-]*/y,
  dotted: /[\w.-]*/y,
  hex: /[\da-f]*/iy,
  path: /[\w/-]*/y,
  upper: /[\dA-Z]*/y,
  word: /\w*/y,
  /** Lines of base64, also with their ends escaped as `\n` or `\r`. */
  base64Lines: /[\da-z+/=\n\r \t\\]*/iy,
} as const;

/** A key is judged by its first characters. */
export const MAX_JUDGED_CHARACTERS = 256;

export class TextRuns {
  readonly text: string;
  readonly #runs = new Map<RegExp, { from: number; end: number }>();
  #steps = 0;
  #needleAt = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** Characters that were looked at. */
  get steps(): number {
    return this.#steps;
  }

  /** The end of the run that holds `from`. */
  end(from: number, run: RegExp): number {
    const known = this.#runs.get(run);
    if (known && from >= known.from && from < known.end) return known.end;
    run.lastIndex = from;
    run.test(this.text);
    const end = run.lastIndex;
    this.#steps += end - from + 1;
    this.#runs.set(run, { from, end });
    return end;
  }

  /** The index after the next occurrence of `needle`, which must always be the same; undefined if there is none. */
  endOf(needle: string, from: number): number | undefined {
    if (this.#needleAt < from && this.#needleAt !== Number.POSITIVE_INFINITY) {
      const found = this.text.indexOf(needle, from);
      this.#needleAt = found === -1 ? Number.POSITIVE_INFINITY : found;
      this.#steps += Math.min(this.#needleAt, this.text.length) - from + needle.length;
    }
    return this.#needleAt === Number.POSITIVE_INFINITY ? undefined : this.#needleAt + needle.length;
  }

  /** Whether the pattern, which must not be sticky or global, is in this part of the text. */
  has(pattern: RegExp, from: number, end: number): boolean {
    this.#steps += end - from;
    return pattern.test(this.text.slice(from, end));
  }

  /** Like `run`, in the first characters of a key. */
  begins(pattern: RegExp, from: number, end: number): boolean {
    return this.has(pattern, from, Math.min(end, from + MAX_JUDGED_CHARACTERS));
  }
}
