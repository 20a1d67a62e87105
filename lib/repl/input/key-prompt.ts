// A question that one key answers. Only a key that a person can have meant is an answer: what was typed before the question
// or in its first moment, what comes as several characters at once, and whatever is pasted, is kept for the next prompt.
import type { InputPiece } from './paste.ts';

/** Nobody reads a question faster. */
const UNMEANT_MS = 200;

export interface KeyPrompt {
  /** True for `y`. False for `n`, Enter, Escape, Ctrl+C and Ctrl+D, and when the terminal is gone. */
  readonly answer: Promise<boolean>;
  /** Hands in what was typed. Answers with what was no answer and has to be kept. */
  take(piece: InputPiece): InputPiece | undefined;
  /** Nobody can answer any more. */
  giveUp(): void;
}

const NO = ['n', '\r', '\n', '\x1b', '\x03', '\x04'];

/** `now`: milliseconds; never steps back. */
export function createKeyPrompt(now: () => number): KeyPrompt {
  const askedMs = now();
  let resolveAnswer: (answer: boolean) => void = () => {};
  const answer = new Promise<boolean>((resolve) => {
    resolveAnswer = resolve;
  });
  return {
    answer,
    take(piece) {
      if (piece.type === 'paste' || piece.text.length !== 1 || now() - askedMs < UNMEANT_MS) return piece;
      const key = piece.text.toLowerCase();
      if (key === 'y') resolveAnswer(true);
      else if (NO.includes(key)) resolveAnswer(false);
      return undefined;
    },
    giveUp: () => resolveAnswer(false),
  };
}
