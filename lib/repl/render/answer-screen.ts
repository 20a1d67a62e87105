// One answer on a terminal: a spinner until its first word, then Markdown as it arrives, drawn a few times a second.

import { fitWidth } from '../../display/width.ts';
import type { AnswerSurface } from '../turn-view.ts';
import type { Lex } from './markdown.ts';
import type { Paint } from './paint.ts';
import { createSpinner } from './spinner.ts';
import { createMarkdownStream, type Screen } from './stream.ts';

/** Words that arrive within this time are drawn together. */
const DRAW_INTERVAL_MS = 40;

export interface AnswerScreenOptions {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly lex: Lex;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
}

export function createAnswerScreen({ screen, paint, lex, now }: AnswerScreenOptions): AnswerSurface {
  const spinner = createSpinner(screen, paint, now);
  const stream = createMarkdownStream(screen, paint, lex);
  let timer: NodeJS.Timeout | undefined;

  return {
    begin() {
      spinner.start('Ctrl+C cancels');
    },
    text(content) {
      spinner.stop();
      stream.push(content);
      timer ??= setTimeout(() => {
        timer = undefined;
        stream.draw();
      }, DRAW_INTERVAL_MS);
    },
    aside(line) {
      spinner.stop();
      stream.printAbove([{ text: fitWidth(line, screen.columns - 1), styles: ['dim'] }]);
    },
    settle() {
      spinner.stop();
      clearTimeout(timer);
      timer = undefined;
      stream.end();
    },
  };
}
