import { textWidth } from './width.ts';

/**
 * Breaks a text between words, for a terminal of this width. Lines that fit stay as they are; a word that is wider than
 * the terminal, such as a path, stays whole.
 *
 * @example
 * wrapWords('Choose one of: ollama, openai.', 20); // 'Choose one of:\nollama, openai.'
 */
export function wrapWords(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => (textWidth(line) <= columns ? [line] : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current: string | undefined;
  for (const word of line.split(' ')) {
    if (current === undefined) current = word;
    else if (textWidth(`${current} ${word}`) <= columns) current += ` ${word}`;
    else {
      lines.push(current);
      current = word;
    }
  }
  return [...lines, current ?? ''];
}
