// Reads the key that answers a question before there is a prompt. Text typed before the question could be read goes
// back to the input, for the prompt.
import type { App } from '../app/app.ts';
import { type KeyAnswers, KeyPrompt } from './input/key-prompt.ts';
import { BRACKETED_PASTE_END, BRACKETED_PASTE_START, type InputPiece } from './input/paste.ts';
import { TerminalInput } from './input/terminal-input.ts';
import type { ReplStreams } from './options.ts';

interface EarlyKeyOptions<Answer> {
  readonly answers: KeyAnswers<Answer>;
  /** Where the terminal is gone. */
  readonly gone: Answer;
  /** Receives the keys that are not an answer. */
  readonly ahead: InputPiece[];
  readonly onStranger: (key: string) => void;
}

export async function readEarlyKey<Answer>(
  app: Pick<App, 'clock'>,
  { input, output }: ReplStreams,
  { answers, gone, ahead, onStranger }: EarlyKeyOptions<Answer>,
): Promise<Answer> {
  const prompt = new KeyPrompt<Answer>({ answers, now: () => app.clock.monotonic(), onStranger });
  const terminal = new TerminalInput({
    input,
    output,
    onPieces: (pieces) => ahead.push(...pieces.flatMap((piece) => prompt.take(piece))),
    onGone: () => prompt.giveUp(gone),
  });
  try {
    return await prompt.answer;
  } finally {
    terminal.close();
  }
}

export function giveBack({ input }: Pick<ReplStreams, 'input'>, ahead: readonly InputPiece[]): void {
  const kept = ahead.map(({ type, text }) =>
    type === 'paste' ? `${BRACKETED_PASTE_START}${text}${BRACKETED_PASTE_END}` : text,
  );
  if (kept.length > 0) input.unshift(Buffer.from(kept.join('')));
}
