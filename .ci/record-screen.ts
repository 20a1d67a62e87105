// Keeps what a terminal shows, with its colours and the times of its changes, and draws it as an SVG that moves by CSS
// alone.
import { graphemeWidth, splitGraphemes } from '../lib/display/width.ts';

export interface Recorder {
  write(text: string): void;
  /** The screen as text, up to the cursor. */
  text(): string;
  /** `label`: what is to be seen, for a reader who does not see it. */
  toSvg(label: string): string;
}

interface Cell {
  readonly text: string;
  readonly style: string;
}
interface Frame {
  readonly atMs: number;
  readonly rows: readonly string[];
}

const TOKEN = /\x1b\][^\x07]*\x07|\x1b\[([0-9;?]*)([A-Za-z])|\x1b[^[]|[\r\n\b\x07\t]|[^\x1b\r\n\b\x07\t]+/g;
const BEGUN = /\x1b(?:\[[0-9;?]*)?$/;
/** Changes that come within this time are one frame. */
const FRAME_MS = 30;
/** Nothing is to be seen for longer than this. */
const LONGEST_MS = 3500;
const CELL = { width: 8.4, height: 18 };
const STYLES: Readonly<Record<number, string>> = {
  1: 'b',
  2: 'd',
  3: 'i',
  4: 'u',
  9: 's',
  31: 'r',
  32: 'g',
  33: 'y',
  36: 'c',
  90: 'd',
};

export function createRecorder({
  columns,
  rows: height,
}: {
  readonly columns: number;
  readonly rows: number;
}): Recorder {
  const grid: Cell[][] = [[]];
  const frames: Frame[] = [];
  const beganMs = performance.now();
  let row = 0;
  let column = 0;
  let styles = new Set<string>();
  let begun = '';

  const top = () => Math.max(0, grid.length - height);
  const lineFeed = () => {
    row += 1;
    grid[row] ??= [];
  };
  const put = (text: string) => {
    const width = graphemeWidth(text);
    if (width === 0) return;
    if (column + width > columns) {
      lineFeed();
      column = 0;
    }
    const line = grid[row]!;
    while (line.length < column) line.push({ text: ' ', style: '' });
    line[column] = { text, style: [...styles].sort().join(' ') };
    if (width === 2) line[column + 1] = { text: '', style: '' };
    column += width;
  };
  const style = (parameters: string) => {
    for (const code of parameters.split(';').map(Number)) {
      if (code === 0) styles = new Set();
      else if (code === 22) for (const each of ['b', 'd']) styles.delete(each);
      else if (code === 23) styles.delete('i');
      else if (code === 24) styles.delete('u');
      else if (code === 29) styles.delete('s');
      else if (code === 39) for (const each of ['r', 'g', 'y', 'c']) styles.delete(each);
      else if (STYLES[code] !== undefined) styles.add(STYLES[code]);
    }
  };
  const sequence = (parameters: string, final: string) => {
    const count = Number(parameters) || 1;
    if (final === 'm') style(parameters);
    else if (final === 'A') row = Math.max(top(), row - count);
    else if (final === 'B') row = Math.min(grid.length - 1, row + count);
    else if (final === 'C') column = Math.min(columns - 1, column + count);
    else if (final === 'D') column = Math.max(0, column - count);
    else if (final === 'G') column = count - 1;
    else if (final === 'J' || final === 'K') {
      grid[row]!.length = Math.min(grid[row]!.length, column);
      if (final === 'J') grid.length = row + 1;
    }
  };
  const take = ([token, parameters, final]: RegExpMatchArray) => {
    if (final !== undefined) sequence(parameters!, final);
    else if (token === '\n') lineFeed();
    else if (token === '\r') column = 0;
    else if (token === '\b') column = Math.max(0, column - 1);
    else if (!/^[\x1b\x07\t]/.test(token)) for (const grapheme of splitGraphemes(token)) put(grapheme);
  };
  const keep = () => {
    const rows = grid.slice(top()).map(drawRow);
    const cursor = `<rect x="${(column * CELL.width).toFixed(1)}" width="${CELL.width}" height="${CELL.height}" class="k"/>`;
    rows[row - top()] += cursor;
    const atMs = performance.now() - beganMs;
    const last = frames.at(-1);
    if (last && last.rows.join('\n') === rows.join('\n')) return;
    if (last && atMs - last.atMs < FRAME_MS) frames.pop();
    frames.push({ atMs, rows });
  };

  return {
    write(piece) {
      const all = begun + piece;
      begun = BEGUN.exec(all)?.[0] ?? '';
      for (const match of all.slice(0, all.length - begun.length).matchAll(TOKEN)) take(match);
      keep();
    },
    text: () => {
      const lines = grid.slice(0, row + 1).map((line) => line.map(({ text }) => text).join(''));
      return [...lines.slice(0, -1), (lines.at(-1) ?? '').slice(0, column)].join('\n');
    },
    toSvg: (label) => drawing(frames, performance.now() - beganMs, { columns, rows: height, label }),
  };
}

/** Runs of cells of one look, each at its place. */
function drawRow(cells: readonly Cell[]): string {
  let svg = '';
  for (let start = 0; start < cells.length; ) {
    const { style } = cells[start]!;
    let end = start;
    while (end < cells.length && cells[end]!.style === style) end += 1;
    const text = cells
      .slice(start, end)
      .map((cell) => cell.text)
      .join('');
    if (text.trim() !== '') {
      const look = style === '' ? '' : ` class="${style}"`;
      const width = ((end - start) * CELL.width).toFixed(1);
      svg += `<text x="${(start * CELL.width).toFixed(1)}" y="13" textLength="${width}"${look}>${escaped(text)}</text>`;
    }
    start = end;
  }
  return svg;
}

function drawing(
  frames: readonly Frame[],
  endMs: number,
  size: { readonly columns: number; readonly rows: number; readonly label: string },
): string {
  const names = new Map<string, string>();
  for (const { rows } of frames)
    for (const row of rows) if (row !== '' && !names.has(row)) names.set(row, `r${names.size}`);
  const width = Math.ceil(size.columns * CELL.width) + 24;
  const height = size.rows * CELL.height;
  const spans = frames.map(({ atMs }, index) => Math.min(LONGEST_MS, (frames[index + 1]?.atMs ?? endMs) - atMs));
  const total = spans.reduce((sum, span) => sum + span, 0);
  let passed = 0;
  const keys = spans.map((span, index) => {
    const key = `${((passed / total) * 100).toFixed(2)}%{transform:translateY(${-index * height}px)}`;
    passed += span;
    return key;
  });
  const strip = frames.map(({ rows }, index) =>
    rows
      .map((row, line) =>
        row === '' ? '' : `<use href="#${names.get(row)}" y="${index * height + line * CELL.height}"/>`,
      )
      .join(''),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + 44}" width="${width}" height="${height + 44}" role="img" aria-label="${escaped(size.label)}">
<title>A session with ollm</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dae0;white-space:pre}
.b{font-weight:bold}.d{fill:#868c98}.i{font-style:italic}.u{text-decoration:underline}.s{text-decoration:line-through}
.r{fill:#f2777a}.g{fill:#8ccf7e}.y{fill:#e5c76b}.c{fill:#67b0e8}.k{fill:#d7dae0;opacity:.5}
#strip{transform:translateY(${-(frames.length - 1) * height}px);animation:play ${(total / 1000).toFixed(1)}s steps(1,end) infinite}
@media (prefers-reduced-motion:reduce){#strip{animation:none}}
@keyframes play{${keys.join('')}}
</style>
<defs>${[...names].map(([row, name]) => `<g id="${name}">${row}</g>`).join('\n')}</defs>
<rect width="${width}" height="${height + 44}" rx="8" fill="#16181d"/>
<circle cx="18" cy="16" r="5" fill="#f2777a"/><circle cx="36" cy="16" r="5" fill="#e5c76b"/><circle cx="54" cy="16" r="5" fill="#8ccf7e"/>
<clipPath id="screen"><rect width="${width - 24}" height="${height}"/></clipPath>
<g transform="translate(12 32)" clip-path="url(#screen)"><g id="strip">
${strip.join('\n')}
</g></g>
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
