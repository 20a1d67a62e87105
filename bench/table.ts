// Rows as a Markdown table: people read the same on the terminal and in docs/.
import type { Figure, Row } from './measure.ts';

const HEADINGS = ['', 'ollm', 'against', '', 'ratio (quartiles)', 'goal'];
const IS_RIGHT = [false, true, true, false, true, false];

/** The rows of one case. */
export function table(rows: readonly Row[]): string {
  const figures = rows.filter((row) => 'ratio' in row);
  const cells = [HEADINGS, ...figures.map((figure, index) => cellsOf(figure, figures[index - 1]))];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]!.length), 3));
  const padded = (cell: string, column: number) =>
    IS_RIGHT[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!);
  const lines = cells.map((row) => `| ${row.map(padded).join(' | ')} |`);
  const rule = widths.map((width, column) => `${'-'.repeat(width + 1)}${IS_RIGHT[column] ? ':' : '-'}`);
  lines.splice(1, 0, `|${rule.join('|')}|`);
  const notes = rows.flatMap((row) => {
    if ('skipped' in row) return `${row.what}: skipped, ${row.skipped}.`;
    return 'text' in row ? row.text : [];
  });
  return [...(figures.length > 0 ? [lines.join('\n')] : []), ...notes].join('\n\n');
}

/** The page with this text between `<!-- bench NAME -->` and `<!-- /bench NAME -->`. */
export function documented(page: string, name: string, text: string): string {
  const place = new RegExp(`(<!-- bench ${name} -->\n)[^]*(<!-- /bench ${name} -->)`);
  return page.replace(place, (_, start, end) => `${start}\n${text}\n\n${end}`);
}

/** A name that the row above has is not repeated. */
function cellsOf({ what, unit, ollm, reference, against, ratio, quartiles, goal }: Figure, above?: Figure): string[] {
  const isRate = unit.endsWith('/s');
  const isMissed = goal !== undefined && Number.isFinite(ratio) && (isRate ? ratio < goal : ratio > goal);
  return [
    what === above?.what ? '' : what,
    `${number(ollm)} ${unit}`,
    `${number(reference)} ${unit}`,
    against,
    `${number(ratio)} (${quartiles.map(number).join(' – ')})`,
    goal === undefined ? '' : `${isRate ? '≥' : '≤'} ${goal}${isMissed ? ', **missed**' : ''}`,
  ];
}

/** Three significant digits, and all of a large whole number. Next to a floor of 0 there is no ratio. */
function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return value.toLocaleString('en', { maximumFractionDigits: 0 });
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
