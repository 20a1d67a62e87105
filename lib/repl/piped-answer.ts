// One answer as plain text in a pipe. A line is written when it is whole, so that no escape sequence in it can slip through
// in two halves.
import { sanitize } from '../display/sanitize.ts';
import type { AnswerSurface } from './turn-view.ts';

export function createPipedAnswer(write: (text: string) => void, aside: (line: string) => void): AnswerSurface {
  /** The line that is not over yet. */
  let partial = '';
  return {
    begin() {},
    text(content) {
      const whole = content.lastIndexOf('\n') + 1;
      if (whole > 0) {
        write(sanitize(partial + content.slice(0, whole)));
        partial = '';
      }
      partial += content.slice(whole);
    },
    aside,
    settle() {
      if (partial !== '') write(`${sanitize(partial)}\n`);
      partial = '';
    },
  };
}
