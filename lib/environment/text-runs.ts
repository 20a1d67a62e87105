// Reads runs of characters in one text. A run that was read before is not read again, so the work stays proportional to
// the text, whatever the text is. `steps` counts it.

export type CharacterClass = (code: number) => boolean;

/** A key is judged by its first characters. */
export const MAX_JUDGED_CHARACTERS = 256;

export class TextRuns {
  readonly text: string;
  readonly #runs = new Map<CharacterClass, { from: number; end: number }>();
  #steps = 0;
  #needleAt = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** Characters that were looked at. */
  get steps(): number {
    return this.#steps;
  }

  /** The end of the run of such characters that holds `from`. */
  end(from: number, isPart: CharacterClass, limit = this.text.length): number {
    const known = this.#runs.get(isPart);
    if (known && from >= known.from && from < known.end) return Math.min(known.end, limit);
    let end = from;
    const last = Math.min(limit, this.text.length);
    while (end < last && isPart(this.text.charCodeAt(end))) end += 1;
    this.#steps += end - from + 1;
    if (end < limit || limit >= this.text.length) this.#runs.set(isPart, { from, end });
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

  longest(from: number, end: number, isPart: CharacterClass): number {
    let longest = 0;
    let length = 0;
    for (let index = from; index < end; index++) {
      length = isPart(this.text.charCodeAt(index)) ? length + 1 : 0;
      if (length > longest) longest = length;
    }
    this.#steps += end - from;
    return longest;
  }

  /** Looks at the first MAX_JUDGED_CHARACTERS. */
  hasDigit(from: number, end: number): boolean {
    for (let index = from; index < Math.min(end, from + MAX_JUDGED_CHARACTERS); index++) {
      this.#steps += 1;
      if (isDigit(this.text.charCodeAt(index))) return true;
    }
    return false;
  }
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isUpperOrDigit(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 90);
}

export function isHex(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

export function isAlphanumeric(code: number): boolean {
  return isUpperOrDigit(code) || (code >= 97 && code <= 122);
}

export function isWord(code: number): boolean {
  return isAlphanumeric(code) || code === 95;
}

export function isWordOrDash(code: number): boolean {
  return isWord(code) || code === 45;
}

export function isWordDashOrDot(code: number): boolean {
  return isWordOrDash(code) || code === 46;
}

export function isWordDashOrSlash(code: number): boolean {
  return isWordOrDash(code) || code === 47;
}

export function isBase64(code: number): boolean {
  return isAlphanumeric(code) || code === 43 || code === 47 || code === 61;
}

/** Lines of base64, also with their ends escaped as `\n` or `\r`. */
export function isBase64OrSpace(code: number): boolean {
  return isBase64(code) || code === 10 || code === 13 || code === 32 || code === 9 || code === 92;
}

/** Neither white space, nor what ends the host part of a URL, nor quotes. */
export function isAuthority(code: number): boolean {
  return code > 32 && !'/?#"\'`\\'.includes(String.fromCharCode(code));
}
