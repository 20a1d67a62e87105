// Keeps the contents of a terminal, with its colours and the times of its changes, and draws it as an SVG that moves
// only by CSS.
import { graphemeWidth, splitGraphemes } from '../lib/display/width.ts';

export interface Recorder {
  write(text: string): void;
  /** As a terminal does whose window changes: rows that it had wrapped are wrapped at the new width. */
  resize(columns: number): void;
  /** The screen as text, up to the cursor. */
  text(): string;
  /** `label`: the description of the picture, for a reader who does not see it. */
  toSvg(label: string, options?: { readonly isLight?: boolean | undefined }): string;
}

interface Cell {
  readonly text: string;
  readonly style: string;
}
/** A row of the screen. */
type Row = Cell[] & {
  /** The next row continues it, because the width was over. */
  isWrapped?: boolean;
};
interface Frame {
  readonly atMs: number;
  readonly rows: readonly string[];
}

const NOTICE = /^\x1b\]9;([^\x07]*)\x07$/;
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
  35: 'm',
  36: 'c',
  90: 'd',
  // Colours of the 256 that are used on a light background.
  1240: 'ld',
  1025: 'c',
  1028: 'g',
  1130: 'y',
  1160: 'r',
  1090: 'm',
};
/** Colours of the text, of the ground, and of the styles d, r, g, y, c and m. */
const LIGHT = ['#24292f', '#ffffff', '#585858', '#d70000', '#008700', '#af5f00', '#005faf', '#870087'];
const DARK = ['#d7dae0', '#16181d', '#868c98', '#f2777a', '#8ccf7e', '#e5c76b', '#67b0e8', '#c49bd8'];

interface Size {
  readonly columns: number;
  readonly rows: number;
}

export function createRecorder(size: Size): Recorder {
  const { columns: width, rows: height } = size;
  let columns = width;
  let grid: Row[] = [[]];
  const frames: Frame[] = [];
  const beganMs = performance.now();
  let row = 0;
  let column = 0;
  let styles = new Set<string>();
  let begun = '';
  /** The notice that the desktop shows. */
  let notice: string | undefined;

  const top = () => Math.max(0, grid.length - height);
  const lineFeed = () => {
    row += 1;
    grid[row] ??= [];
  };
  const put = (text: string) => {
    const width = graphemeWidth(text);
    if (width === 0) return;
    if (column + width > columns) {
      grid[row]!.isWrapped = true;
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
    const [, indexed] = /^38;5;(\d+)$/.exec(parameters) ?? [];
    for (const code of indexed === undefined ? parameters.split(';').map(Number) : [1000 + Number(indexed)]) {
      if (code === 0) styles = new Set();
      else if (code === 22) for (const each of ['b', 'd']) styles.delete(each);
      else if (code === 23) styles.delete('i');
      else if (code === 24) styles.delete('u');
      else if (code === 29) styles.delete('s');
      else if (code === 39) for (const each of ['r', 'g', 'y', 'c', 'm', 'ld']) styles.delete(each);
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
      grid[row]!.isWrapped = false;
      if (final === 'J') grid.length = row + 1;
    }
  };
  const take = ([token, parameters, final]: RegExpMatchArray) => {
    const [, said] = NOTICE.exec(token) ?? [];
    if (said !== undefined) notice = said;
    else if (final !== undefined) sequence(parameters!, final);
    else if (token === '\n') lineFeed();
    else if (token === '\r') column = 0;
    else if (token === '\b') column = Math.max(0, column - 1);
    else if (!/^[\x1b\x07\t]/.test(token)) for (const grapheme of splitGraphemes(token)) put(grapheme);
  };
  const keep = () => {
    const rows = grid.slice(top()).map(drawRow);
    const cursor = `<rect x="${across(column)}" width="${CELL.width}" height="${CELL.height}" class="k"/>`;
    rows[row - top()] += cursor;
    const last = rows.length - 1;
    rows[last] += drawEdge(columns, width, last) + drawNotice(notice, width, last);
    const atMs = performance.now() - beganMs;
    const before = frames.at(-1);
    if (before && before.rows.join('\n') === rows.join('\n')) return;
    if (before && atMs - before.atMs < FRAME_MS) frames.pop();
    frames.push({ atMs, rows });
  };

  return {
    write(piece) {
      const all = begun + piece;
      begun = BEGUN.exec(all)?.[0] ?? '';
      for (const match of all.slice(0, all.length - begun.length).matchAll(TOKEN)) take(match);
      keep();
    },
    resize(wanted) {
      const lines: Cell[][] = [];
      const cursor = { line: 0, offset: 0 };
      for (const [index, cells] of grid.entries()) {
        if (grid[index - 1]?.isWrapped !== true) lines.push([]);
        const line = lines.at(-1)!;
        if (index === row) Object.assign(cursor, { line: lines.length - 1, offset: line.length + column });
        line.push(...cells);
      }
      columns = wanted;
      grid = [];
      for (const [index, cells] of lines.entries()) {
        if (index === cursor.line) row = grid.length + Math.floor(cursor.offset / columns);
        for (let from = 0; from === 0 || from < cells.length; from += columns) {
          const part: Row = cells.slice(from, from + columns);
          part.isWrapped = from + columns < cells.length;
          grid.push(part);
        }
      }
      column = cursor.offset % columns;
      while (grid.length <= row) grid.push([]);
      keep();
    },
    text: () => {
      const lines = grid.slice(0, row + 1).map((line) => line.map(({ text }) => text).join(''));
      return [...lines.slice(0, -1), (lines.at(-1) ?? '').slice(0, column)].join('\n');
    },
    toSvg: (label, { isLight = false } = {}) =>
      drawing(frames, performance.now() - beganMs, { ...size, label, isLight }),
  };
}

/** Runs of cells of one look, each at its place. */
function drawRow(cells: readonly Cell[]): string {
  let svg = '';
  for (let start = 0; start < cells.length; ) {
    const { style } = cells[start]!;
    let end = start;
    while (end < cells.length && cells[end]!.style === style) end += 1;
    const run = cells.slice(start, end);
    const text = run.map((cell) => cell.text).join('');
    if (text.trim() !== '') {
      const look = style && ` class="${style}"`;
      svg += `<text x="${across(start)}" y="13" textLength="${across(end - start)}"${look}>${escaped(text)}</text>`;
    }
    start = end;
  }
  return svg;
}

/** The edge next to a window that became narrower. */
function drawEdge(columns: number, width: number, row: number): string {
  if (columns === width) return '';
  const [x, y] = [across(columns), -row * CELL.height];
  return `<rect x="${x}" y="${y}" width="${across(width - columns)}" height="2000" class="e"/>`;
}

function drawNotice(text: string | undefined, width: number, row: number): string {
  if (text === undefined) return '';
  const size = text.length + 4;
  const place = `translate(${across(width - size)} ${4 - row * CELL.height})`;
  const ground = `<rect width="${across(size)}" height="32" rx="6" class="n"/>`;
  return `<g transform="${place}">${ground}<text x="16" y="21" class="nt">${escaped(text)}</text></g>`;
}

function drawing(
  frames: readonly Frame[],
  endMs: number,
  size: Size & { readonly label: string; readonly isLight: boolean },
): string {
  const names = new Map<string, string>();
  for (const { rows } of frames)
    for (const row of rows) if (row !== '' && !names.has(row)) names.set(row, `r${names.size}`);
  const width = Math.ceil(size.columns * CELL.width) + 24;
  const height = size.rows * CELL.height;
  const [text, ground, d, r, g, y, c, m] = size.isLight ? LIGHT : DARK;
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
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:${text};white-space:pre}
.b{font-weight:bold}.d,.ld{fill:${d}}.i{font-style:italic}.u{text-decoration:underline}.s{text-decoration:line-through}
.r{fill:${r}}.g{fill:${g}}.y{fill:${y}}.c{fill:${c}}.m{fill:${m}}.k{fill:${text};opacity:.5}
.e{fill:#4a4f5a}.n{fill:#f5f5f5;stroke:#888}.nt{fill:#222}
#strip{transform:translateY(${-(frames.length - 1) * height}px);animation:play ${(total / 1000).toFixed(1)}s steps(1,end) infinite}
@media (prefers-reduced-motion:reduce){#strip{animation:none}}
@keyframes play{${keys.join('')}}
</style>
<defs>${[...names].map(([row, name]) => `<g id="${name}">${row}</g>`).join('\n')}</defs>
<rect width="${width}" height="${height + 44}" rx="8" fill="${ground}"/>
<circle cx="18" cy="16" r="5" fill="#f2777a"/><circle cx="36" cy="16" r="5" fill="#e5c76b"/><circle cx="54" cy="16" r="5" fill="#8ccf7e"/>
<clipPath id="screen"><rect width="${width - 24}" height="${height}"/></clipPath>
<g transform="translate(12 32)" clip-path="url(#screen)"><g id="strip">
${strip.join('\n')}
</g></g>
</svg>
`;
}

/** The width of these columns. */
function across(columns: number): string {
  return (columns * CELL.width).toFixed(1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
