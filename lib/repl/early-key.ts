// A question that a key answers before there is a prompt. Text typed before the question could be read goes back to the
// input, for the prompt.
import type { App } from '../app/app.ts';
import { spanOf } from '../display/paint.ts';
import { revealLine } from './approval/reveal.ts';
import { type KeyAnswers, KeyPrompt } from './input/key-prompt.ts';
import { BRACKETED_PASTE_END, BRACKETED_PASTE_START, type InputPiece } from './input/paste.ts';
import { TerminalInput } from './input/terminal-input.ts';
import type { ReplStreams } from './options.ts';
import type { BottomRegion } from './render/bottom-region.ts';

interface EarlyQuestion<Answer> {
  readonly answers: KeyAnswers<Answer>;
  /** Where the terminal is gone. */
  readonly gone: Answer;
  readonly region: BottomRegion;
  /** Draws the keys in the region, at each size of the screen. */
  readonly draw: () => void;
}

/** The region is empty afterwards. */
export async function askEarly<Answer>(
  app: Pick<App, 'clock'>,
  { input, output }: ReplStreams,
  { answers, gone, region, draw }: EarlyQuestion<Answer>,
): Promise<Answer> {
  const ahead: InputPiece[] = [];
  draw();
  const onStranger = (key: string) => {
    region.clear();
    region.print([[spanOf(`${revealLine(key)} is not offered here.`, 'dim')]]);
    draw();
  };
  const prompt = new KeyPrompt<Answer>({ answers, now: () => app.clock.monotonic(), onStranger });
  const terminal = new TerminalInput({
    input,
    output,
    onPieces: (pieces) => ahead.push(...pieces.flatMap((piece) => prompt.take(piece))),
    onGone: () => prompt.giveUp(gone),
  });
  output.on('resize', draw);
  try {
    return await prompt.answer;
  } finally {
    output.off('resize', draw);
    region.clear();
    terminal.close();
    giveBack(input, ahead);
  }
}

function giveBack(input: ReplStreams['input'], ahead: readonly InputPiece[]): void {
  const kept = ahead.map(({ type, text }) =>
    type === 'paste' ? `${BRACKETED_PASTE_START}${text}${BRACKETED_PASTE_END}` : text,
  );
  if (kept.length > 0) input.unshift(Buffer.from(kept.join('')));
}
