// An answer as plain text in a pipe. A line is written when it is whole, so that no escape sequence can pass through in
// two halves. Each tool is one line with its end; its output is in the journal.
import { sanitize, sanitizeLine } from '../display/sanitize.ts';
import { toolHeadline } from './render/tool-lines.ts';
import type { AnswerSurface } from './turn-view.ts';

export function createPipedAnswer(write: (text: string) => void, aside: (line: string) => void): AnswerSurface {
  /** The line that is not over yet. */
  let partial = '';
  const endLine = () => {
    if (partial !== '') write(`${sanitize(partial)}\n`);
    partial = '';
  };
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
    reasoning() {},
    aside,
    said() {},
    toolInput() {},
    retry: ({ reason, attempt, attempts, delayMs }) =>
      aside(`${reason} Attempt ${attempt} of ${attempts} in ${Math.ceil(delayMs / 1000)} s.`),
    // The text after a tool is a new sentence.
    toolStarted: endLine,
    toolOutput() {},
    toolEnded(_callId, end) {
      endLine();
      const headline = toolHeadline(end)
        .map(({ text }) => text)
        .join('');
      aside(end.status === 'denied' && end.content !== '' ? `${headline}: ${sanitizeLine(end.content)}` : headline);
    },
    settle: endLine,
  };
}
