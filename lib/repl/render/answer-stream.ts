// An answer as it arrives, as lines: those of blocks that are over, which never change again, and those of the block
// that is still open. At the end there are the lines that the whole text would have given at once. Draws nothing.
import { type Paint, type StyledLine, spanOf } from '../../display/paint.ts';
import { sanitize } from '../../display/sanitize.ts';
import { cutSpans } from '../../display/wrap.ts';
import { BlockCutter, type MarkdownBlock } from './blocks.ts';
import type { CodeColors, Highlighter } from './highlight.ts';
import { type Lex, renderMarkdown } from './markdown.ts';
import type { Screen } from './screen.ts';

export interface AnswerStream {
  /** The lines that are settled by this text. */
  push(text: string): readonly StyledLine[];
  /** The last rows of the open part, at most `rows`. */
  open(rows: number): readonly StyledLine[];
  /** The text is over: the lines that were open. */
  end(): readonly StyledLine[];
}

export interface MarkdownStreamOptions {
  readonly screen: Pick<Screen, 'columns'>;
  readonly paint: Pick<Paint, 'enabled'>;
  readonly lex: Lex;
  /** Absent: code has one colour. */
  readonly highlighter?: Highlighter | undefined;
}

export class MarkdownStream implements AnswerStream {
  readonly #options: MarkdownStreamOptions;
  readonly #cutter = new BlockCutter();
  #anythingSettled = false;
  #blankPending = false;
  /** The open code block. */
  #code: CodeColors | undefined;

  constructor(options: MarkdownStreamOptions) {
    this.#options = options;
  }

  push(text: string): readonly StyledLine[] {
    return this.#settle(this.#cutter.push(text));
  }

  open(rows: number): readonly StyledLine[] {
    const block = this.#cutter.open();
    if (block === undefined) return [];
    const columns = Math.max(2, this.#options.screen.columns - 1);
    const whole = block.type === 'code' ? [this.#openCode(block.line.slice(-rows * columns))] : this.#linesOf(block);
    const lines = whole.flatMap((line) => cutSpans(line, columns));
    return [...(this.#blankPending ? [[]] : []), ...lines].slice(-rows);
  }

  end(): readonly StyledLine[] {
    return this.#settle(this.#cutter.end());
  }

  #settle(blocks: readonly MarkdownBlock[]): readonly StyledLine[] {
    return joinedCode(blocks).flatMap((block) => {
      const lines = this.#linesOf(block);
      if (block.type === 'blank') this.#blankPending = this.#anythingSettled;
      if (lines.length === 0) return [];
      const before: readonly StyledLine[] = this.#blankPending ? [[]] : [];
      this.#blankPending = false;
      this.#anythingSettled = true;
      return [...before, ...lines];
    });
  }

  #openCode(text: string): StyledLine {
    return this.#code?.open(sanitize(text)) ?? [spanOf(sanitize(text), 'cyan')];
  }

  #linesOf(block: Exclude<MarkdownBlock, { type: 'code' }> | Code): readonly StyledLine[] {
    const { screen, paint, lex, highlighter } = this.#options;
    switch (block.type) {
      case 'blank':
        return [];
      case 'fence':
        this.#code =
          this.#code === undefined && paint.enabled
            ? highlighter?.block(block.line.replace(/^[\s`~]*/, ''))
            : undefined;
        return [[spanOf(sanitize(block.line), 'dim')]];
      case 'code-lines': {
        const texts = block.lines.map((line) => sanitize(line));
        return this.#code?.lines(texts) ?? texts.map((text): StyledLine => [spanOf(text, 'cyan')]);
      }
      case 'markdown':
        return renderMarkdown(sanitize(block.source), lex, {
          width: Math.max(1, screen.columns - 1),
          showMarks: !paint.enabled,
        });
    }
  }
}

/** Lines of code that came together. */
interface Code {
  readonly type: 'code-lines';
  readonly lines: readonly string[];
}

function joinedCode(blocks: readonly MarkdownBlock[]): readonly (Exclude<MarkdownBlock, { type: 'code' }> | Code)[] {
  const joined: (
    | Exclude<MarkdownBlock, { type: 'code' }>
    | { readonly type: 'code-lines'; readonly lines: string[] }
  )[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.type !== 'code') joined.push(block);
    else if (last?.type === 'code-lines') last.lines.push(block.line);
    else joined.push({ type: 'code-lines', lines: [block.line] });
  }
  return joined;
}

/**
 * The text line by line as it came. A line is settled when it is whole: no half of an escape sequence slips through.
 */
export class PlainStream implements AnswerStream {
  #partial = '';

  push(text: string): readonly StyledLine[] {
    const whole = (this.#partial + text).split('\n');
    this.#partial = whole.pop()!;
    return linesOf(whole);
  }

  open(): readonly StyledLine[] {
    return [];
  }

  end(): readonly StyledLine[] {
    const last = this.#partial;
    this.#partial = '';
    return last === '' ? [] : linesOf([last]);
  }
}

function linesOf(lines: readonly string[]): StyledLine[] {
  if (lines.length === 0) return [];
  return sanitize(lines.join('\n'))
    .split('\n')
    .map((text) => [spanOf(text)]);
}
