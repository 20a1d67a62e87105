// Rows as a Markdown table: people read the same on the terminal and in docs/performance.md.
import type { Figure, Row } from './measure.ts';

const HEADINGS = ['', 'ollm', 'against', '', 'ratio (quartiles)', 'goal'];
const IS_RIGHT = [false, true, true, false, true, false];

/** The rows of one case. */
export function table(rows: readonly Row[]): string {
  const figures = rows.filter((row) => 'ratio' in row);
  const cells = [HEADINGS, ...figures.map((figure, index) => cellsOf(figure, figures[index - 1]))];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]!.length), 3));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (IS_RIGHT[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => `${'-'.repeat(width + 1)}${IS_RIGHT[column] ? ':' : '-'}`).join('|')}|`;
  const skipped = rows.flatMap((row) => ('skipped' in row ? [`\n${row.what}: skipped, ${row.skipped}.`] : []));
  return [line(cells[0]!), rule, ...cells.slice(1).map(line), ...skipped].join('\n');
}

/** The page with these tables between `<!-- bench -->` and `<!-- /bench -->`. */
export function documented(
  page: string,
  { date, machine, tables }: { readonly date: string; readonly machine: string; readonly tables: readonly string[] },
): string {
  const text = `Taken on ${date.slice(0, 10)}: ${machine}.\n\n${tables.join('\n\n')}`;
  return page.replace(/(<!-- bench -->\n)[\s\S]*(<!-- \/bench -->)/, (_, start, end) => `${start}\n${text}\n\n${end}`);
}

/** A name that the row above has is not repeated. */
function cellsOf({ what, unit, ...figure }: Figure, above?: Figure): string[] {
  const { subject, reference, against, ratio, quartiles } = figure;
  return [
    what === above?.what ? '' : what,
    `${number(subject)} ${unit}`,
    `${number(reference)} ${unit}`,
    against,
    `${number(ratio)} (${quartiles.map(number).join(' – ')})`,
    goalText(figure),
  ];
}

function goalText({ ratio, atLeast, atMost }: Pick<Figure, 'ratio' | 'atLeast' | 'atMost'>): string {
  if (atLeast !== undefined) return `≥ ${atLeast}${ratio < atLeast ? ', **missed**' : ''}`;
  return atMost === undefined ? '' : `≤ ${atMost}${ratio > atMost && Number.isFinite(ratio) ? ', **missed**' : ''}`;
}

/** Three significant digits, and all of a large whole number. Next to a floor of 0 there is no ratio. */
function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return value.toLocaleString('en', { maximumFractionDigits: 0 });
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
