// Shows Markdown on a terminal while it arrives. What is over is printed once and never touched again; the open block
// is redrawn in place below it, as many rows as the screen has room for. At the end the screen holds what it would hold
// had the text been there at once, and nothing in the scroll-back is preliminary.

import { sanitize } from '../../display/sanitize.ts';
import { type Block, createBlockCutter } from './blocks.ts';
import { type Lex, type MarkdownLook, renderMarkdown } from './markdown.ts';
import type { Line, Paint } from './paint.ts';
import { type Row, rowsTaken, type Screen } from './screen.ts';
import { cutSpans, lineWidth } from './wrap.ts';

export interface MarkdownStream {
  push(text: string): void;
  /** Brings the screen up to date. For whoever paces the drawing; push alone draws nothing. */
  draw(): void;
  /** Prints a line above the open block, such as a notice. */
  printAbove(line: Line): void;
  /** Settles everything; the cursor stands at the beginning of a new line. */
  end(): void;
}

export function createMarkdownStream(screen: Screen, paint: Paint, lex: Lex): MarkdownStream {
  const cutter = createBlockCutter();
  /** Rows that are over and not printed yet. */
  let settled: Row[] = [];
  /** The open block as it stands on the screen, the cursor behind its last row. */
  let shown: readonly Row[] = [];
  let shownColumns = screen.columns;
  let anythingSettled = false;
  let blankPending = false;

  const linesOf = (block: Block): Line[] => {
    switch (block.type) {
      case 'blank':
        return [];
      case 'fence':
        return [[{ text: sanitize(block.line), styles: ['dim'] }]];
      case 'code':
        return [[{ text: sanitize(block.line), styles: ['cyan'] }]];
      case 'markdown': {
        const look: MarkdownLook = { width: Math.max(1, screen.columns - 1), showMarks: !paint.enabled };
        return renderMarkdown(sanitize(block.source), lex, look);
      }
    }
  };
  const rowOf = (line: Line): Row => ({
    text: paint.line(line),
    width: lineWidth(line),
  });

  const settle = (blocks: readonly Block[]) => {
    for (const block of blocks) {
      const rows = linesOf(block).map(rowOf);
      if (block.type === 'blank') blankPending = anythingSettled;
      if (rows.length === 0) continue;
      settled.push(...(blankPending ? [EMPTY_ROW] : []), ...rows);
      blankPending = false;
      anythingSettled = true;
    }
  };

  const openRows = (): Row[] => {
    const block = screen.movable ? cutter.open() : undefined;
    if (!block) return [];
    const room = Math.max(1, screen.rows - 2);
    const columns = Math.max(2, screen.columns - 1);
    const visible: Block = block.type === 'code' ? { ...block, line: block.line.slice(-room * columns) } : block;
    const rows = linesOf(visible).flatMap((line) => cutSpans(line, columns).map(rowOf));
    return [...(blankPending ? [EMPTY_ROW] : []), ...rows].slice(-room);
  };

  const draw = () => {
    const open = openRows();
    const next = [...settled, ...open];
    const equal = shownColumns === screen.columns ? countEqual(shown, next) : 0;
    if (settled.length === 0 && equal === shown.length && equal === next.length) return;
    // The last row is always written, so that the cursor ends up behind it.
    const kept = Math.min(equal, Math.max(0, next.length - 1));
    let output = '';
    if (shown.length > 0 && kept < shown.length) {
      const up = rowsTaken(shown.slice(kept), screen.columns) - 1;
      output += `${up > 0 ? `\x1b[${up}A` : ''}\r\x1b[J`;
    } else if (shown.length > 0 && next.length > kept) output += '\n';
    output += next
      .slice(kept)
      .map((row) => row.text)
      .join('\n');
    if (open.length === 0 && next.length > 0) output += '\n';
    settled = [];
    shown = open;
    shownColumns = screen.columns;
    if (output !== '') screen.write(output);
  };

  return {
    push(text) {
      settle(cutter.push(text));
    },
    draw,
    printAbove(line) {
      settled.push(rowOf(line));
      draw();
    },
    end() {
      settle(cutter.end());
      draw();
    },
  };
}

const EMPTY_ROW: Row = { text: '', width: 0 };

function countEqual(one: readonly Row[], other: readonly Row[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count]!.text === other[count]!.text) count++;
  return count;
}
