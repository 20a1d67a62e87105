// A question that one key answers. Only a key that a person can have meant is an answer: what was typed before the question,
// in its first moment or in the flow of a sentence, what comes as several characters at once, and whatever is pasted, is
// kept for the next prompt.
import type { InputPiece } from './paste.ts';

/** Nobody reads a question faster, and nobody types slower than this by much. */
const UNMEANT_MS = 200;

export interface KeyPrompt<Answer> {
  readonly answer: Promise<Answer>;
  /** Hands in what was typed. Answers with what was no answer and has to be kept. */
  take(piece: InputPiece): InputPiece | undefined;
  /** Nobody can answer any more. */
  giveUp(answer: Answer): void;
}

/** What each key stands for, by its character; letters in lower case, taken in either. */
export type KeyAnswers<Answer> = Readonly<Record<string, Answer>>;

export interface KeyPromptOptions<Answer> {
  readonly answers: KeyAnswers<Answer>;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
}

/** The keys that mean no wherever something is asked: Enter, Escape, Ctrl+D. */
export const DECLINING_KEYS = ['\r', '\n', '\x1b', '\x04'] as const;
export const INTERRUPT_KEY = '\x03';

export const YES_OR_NO: KeyAnswers<boolean> = {
  y: true,
  ...Object.fromEntries(['n', INTERRUPT_KEY, ...DECLINING_KEYS].map((key) => [key, false])),
};

export function createKeyPrompt<Answer>({ answers, now }: KeyPromptOptions<Answer>): KeyPrompt<Answer> {
  const byKey = new Map(Object.entries(answers));
  let quietSinceMs = now();
  const { promise, resolve } = Promise.withResolvers<Answer>();
  return {
    answer: promise,
    take(piece) {
      const key = piece.type === 'keys' && piece.text.length === 1 ? piece.text.toLowerCase() : '';
      const isMeant = now() - quietSinceMs >= UNMEANT_MS;
      if (!isMeant || !byKey.has(key)) {
        quietSinceMs = now();
        return piece;
      }
      resolve(byKey.get(key)!);
      return undefined;
    },
    giveUp: resolve,
  };
}
