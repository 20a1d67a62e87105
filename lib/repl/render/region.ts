// Rows at the bottom of the screen that come and go: what is under way just now. They are redrawn in place and leave
// nothing behind. Only where the cursor can be moved; elsewhere nothing is drawn.
import type { Line, Paint } from './paint.ts';
import { type Row, rowsTaken, type Screen } from './screen.ts';
import { fitLine, lineWidth } from './wrap.ts';

export interface Region {
  /** Shows these rows in place of those before, each cut to the width, and no more than the screen has room for. */
  show(lines: readonly Line[]): void;
  /** Takes them away; the cursor stands where the first one began. Harmless when nothing is shown. */
  clear(): void;
}

export function createRegion(screen: Screen, paint: Paint): Region {
  let shown: readonly Row[] = [];
  /** From the end of the last row back to the beginning of the first. */
  const back = () => {
    if (shown.length === 0) return '';
    const up = rowsTaken(shown, screen.columns) - 1;
    return `${up > 0 ? `\x1b[${up}A` : ''}\r\x1b[J`;
  };
  return {
    show(lines) {
      if (!screen.movable) return;
      const next = lines
        .slice(0, screen.rows - 1)
        .map((line) => fitLine(line, screen.columns - 1))
        .map((line): Row => ({ text: paint.line(line), width: lineWidth(line) }));
      const isSame = next.length === shown.length && next.every(({ text }, index) => text === shown[index]!.text);
      if (isSame && rowsTaken(shown, screen.columns) === shown.length) return;
      screen.write(back() + next.map(({ text }) => text).join('\n'));
      shown = next;
    },
    clear() {
      if (shown.length > 0) screen.write(back());
      shown = [];
    },
  };
}
