// Takes the secrets out of a text that is still arriving, so that the clean part can be stored at once: all pieces
// together equal the result of `redactor.redact` for the whole. A piece ends only where no continuation changes it:
// after a word, outside of a private key, and not where a secret value of several words may begin. The rest waits.
import type { Redactor } from './redact.ts';
import { isSafeCut } from './redact-long.ts';

/** Characters that are kept as the context of what follows: more than a private key has. */
const CONTEXT = 32 * 1024;
/** A run without an end of a word is cut at last: no secret that is a single word is as long. */
const LONGEST_WORD = 8 * 1024;
/** Ends of words that are tried, from the last one. */
const TRIES = 8;
/** What might follow: a piece that one of these would change is not clean yet. */
const CONTINUATIONS = ['x', ' x', '\n', 'Zk3vQ9x7Lw2pTb5n"'];

const WORD_END = /[\s\P{ASCII}]/u;

export class StreamRedaction {
  readonly #redactor: Redactor | undefined;
  /** What arrived, from a safe cut on. */
  #raw = '';
  /** The part already given out, clean. */
  #given = '';

  constructor(redactor: Redactor | undefined) {
    this.#redactor = redactor;
  }

  add(text: string): void {
    this.#raw += text;
  }

  /** The part that is clean now and was not given before. */
  take(): string {
    if (this.#redactor === undefined) return this.#give(this.#raw.slice(0, wholeCharacters(this.#raw)));
    const before = this.#cleanBeginning(this.#redactor);
    if (before === undefined) return '';
    const more = this.#give(before);
    this.#forget(this.#redactor);
    return more;
  }

  /** The rest, when nothing more arrives. */
  end(): string {
    return this.#give(this.#redactor?.redact(this.#raw).text ?? this.#raw);
  }

  #give(clean: string): string {
    const more = clean.slice(commonLength(this.#given, clean));
    if (this.#redactor === undefined) {
      this.#raw = this.#raw.slice(clean.length);
      this.#given = '';
    } else if (more !== '') this.#given = clean;
    return more;
  }

  #cleanBeginning(redactor: Redactor): string | undefined {
    const raw = this.#raw;
    const whole = redactor.redact(raw).text;
    for (const cut of this.#cuts(redactor)) {
      const before = raw.slice(0, cut);
      const clean = redactor.redact(before).text;
      if (clean.length <= this.#given.length) return undefined;
      const isFinal =
        whole.startsWith(clean) && CONTINUATIONS.every((text) => redactor.redact(before + text).text.startsWith(clean));
      if (isFinal) return clean;
    }
    return undefined;
  }

  /** Where a piece may end, from the last place on. */
  *#cuts(redactor: Redactor): Generator<number, void, void> {
    const raw = this.#raw;
    const key = openKey(raw);
    let at = key ?? raw.length;
    if (at - wordEnd(raw, at) > LONGEST_WORD) yield wholeCharacters(raw.slice(0, at - LONGEST_WORD));
    for (let tries = 0; tries < TRIES && at > 0; tries += 1) {
      const end = wordEnd(raw, at);
      const cut = end - (redactor.pending?.(raw.slice(0, end)) ?? 0);
      yield cut;
      at = cut - 1;
    }
  }

  /** Drops text that is no longer needed as context. */
  #forget(redactor: Redactor): void {
    if (this.#raw.length <= 2 * CONTEXT) return;
    const cut = this.#raw.lastIndexOf('\n', this.#raw.length - CONTEXT) + 1;
    if (cut === 0 || !isSafeCut(redactor, this.#raw, cut)) return;
    const clean = redactor.redact(this.#raw.slice(0, cut)).text;
    if (!this.#given.startsWith(clean)) return;
    this.#raw = this.#raw.slice(cut);
    this.#given = this.#given.slice(clean.length);
  }
}

/** Where a private key begins that has no end yet. */
function openKey(raw: string): number | undefined {
  const begin = raw.lastIndexOf('-----BEGIN');
  const end = begin < 0 ? -1 : raw.indexOf('-----END', begin);
  // The last line of a key has to be whole.
  return begin >= 0 && (end < 0 || !raw.includes('\n', end)) ? begin : undefined;
}

/** The end of the last whole word before `at`; 0 if there is none. */
function wordEnd(raw: string, at: number): number {
  for (let end = at; end > 0; end -= 1) if (WORD_END.test(raw[end - 1]!)) return wholeCharacters(raw.slice(0, end));
  return 0;
}

/** The length without the first half of a character at its end. */
function wholeCharacters(text: string): number {
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}

function commonLength(a: string, b: string): number {
  if (b.startsWith(a)) return a.length;
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
