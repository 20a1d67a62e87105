// A question that one key answers. Only a key that a person can have meant is an answer: text that was typed before the
// question, in its first moment or in the flow of a sentence, several characters at once, and everything that is
// pasted, is kept for the next prompt. A single key that is not offered is dropped and reported, so that it does not
// begin the next message.
import { INTERRUPT_KEY } from './key-bindings.ts';
import type { InputPiece } from './paste.ts';

/** Less time than it takes to read a question; about the time between two keys of a typed sentence. */
const UNMEANT_MS = 200;

/** The answer of each key, by what a terminal sends for it; letters in lower case, taken in either. */
export type KeyAnswers<Answer> = Readonly<Record<string, Answer>>;

interface KeyPromptOptions<Answer> {
  readonly answers: KeyAnswers<Answer>;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
  /** Called with a single key that is not offered, once it is certain that no sentence follows it. */
  readonly onStranger?: ((key: string) => void) | undefined;
}

/** The keys that mean no wherever something is asked: Enter, Escape, Ctrl+D. */
export const DECLINING_KEYS = ['\r', '\n', '\x1b', '\x04'] as const;

export const YES_OR_NO: KeyAnswers<boolean> = {
  y: true,
  ...Object.fromEntries(['n', INTERRUPT_KEY, ...DECLINING_KEYS].map((key) => [key, false])),
};

/** An answer to a question that may stay open. */
export type OpenAnswer = 'yes' | 'no' | 'later';

export const YES_NO_OR_LATER: KeyAnswers<OpenAnswer> = {
  y: 'yes',
  n: 'no',
  ...Object.fromEntries([INTERRUPT_KEY, ...DECLINING_KEYS].map((key) => [key, 'later' as const])),
};

/** A single printable character. */
const PRINTABLE = /^[^\x00-\x1f\x7f]$/;

export class KeyPrompt<Answer> {
  readonly answer: Promise<Answer>;
  readonly #options: KeyPromptOptions<Answer>;
  readonly #byKey: ReadonlyMap<string, Answer>;
  readonly #resolve: (answer: Answer) => void;
  #quietSinceMs: number;
  /** A key that is not offered, until it is certain whether a sentence follows. */
  #stranger: { readonly piece: InputPiece; readonly timer: NodeJS.Timeout } | undefined;

  constructor(options: KeyPromptOptions<Answer>) {
    this.#options = options;
    this.#byKey = new Map(Object.entries(options.answers));
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#quietSinceMs = options.now();
  }

  /** Takes typed input. Returns the pieces that are not an answer and have to be kept, in their order. */
  take(piece: InputPiece): readonly InputPiece[] {
    const text = piece.type === 'keys' ? piece.text : '';
    const key = text.length === 1 ? text.toLowerCase() : text;
    const isMeant = this.#options.now() - this.#quietSinceMs >= UNMEANT_MS;
    const kept = this.#takeStranger({ isDropped: isMeant });
    if (isMeant && this.#byKey.has(key)) {
      this.#resolve(this.#byKey.get(key)!);
      return kept;
    }
    this.#quietSinceMs = this.#options.now();
    if (!isMeant || !PRINTABLE.test(text)) return [...kept, piece];
    this.#stranger = { piece, timer: setTimeout(() => this.#takeStranger({ isDropped: true }), UNMEANT_MS) };
    return kept;
  }

  /** Ends the question: no key can answer it any more. */
  giveUp(answer: Answer): void {
    if (this.#stranger !== undefined) clearTimeout(this.#stranger.timer);
    this.#stranger = undefined;
    this.#resolve(answer);
  }

  /** The key that waited: dropped and reported, or returned as the beginning of a sentence. */
  #takeStranger({ isDropped }: { readonly isDropped: boolean }): readonly InputPiece[] {
    const stranger = this.#stranger;
    if (stranger === undefined) return [];
    this.#stranger = undefined;
    clearTimeout(stranger.timer);
    if (!isDropped) return [stranger.piece];
    this.#options.onStranger?.(stranger.piece.text);
    return [];
  }
}
