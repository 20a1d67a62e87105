// Shows an answer line by line as it came, for whoever does not want Markdown to be rendered.
import { sanitize } from '../../display/sanitize.ts';
import type { Screen } from './screen.ts';
import type { MarkdownStream } from './stream.ts';

export function createPlainStream(screen: Screen): MarkdownStream {
  let unshown = '';
  const show = (text: string) => {
    if (text !== '') screen.write(sanitize(text));
  };
  return {
    push(text) {
      unshown += text;
    },
    /** A line is shown when it is whole: no half of an escape sequence can slip through. */
    draw() {
      const end = unshown.lastIndexOf('\n') + 1;
      show(unshown.slice(0, end));
      unshown = unshown.slice(end);
    },
    printAbove(line) {
      screen.write(`${line.map(({ text }) => text).join('')}\n`);
    },
    end() {
      show(unshown === '' ? '' : `${unshown}\n`);
      unshown = '';
    },
  };
}
