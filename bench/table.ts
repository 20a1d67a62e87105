// Rows as a table for people.
import type { Machine } from './machine.ts';
import type { Count, Figure, Goal, Row } from './measure.ts';

const HEADINGS = ['', 'ollm', 'against', '', 'ratio', '(quartiles)', 'goal', ''] as const;
const COUNT_HEADINGS = ['', 'count', '', 'limit', ''] as const;
const FEW_PAIRS = 5;
const IS_NUMBER = [false, true, true, false, true, false, false, false];

export function describe(machine: Machine): string {
  const { cpu, cores, memoryGiB, system, node, fileSystem, dataSyncMs, load } = machine;
  return [
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}`,
    `${fileSystem}, write and fdatasync of 4 kB: ${number(dataSyncMs)} ms; load before the run: ${load}`,
  ].join('\n');
}

/** What is counted and more than its limit, in words. */
export function exceeded(rows: readonly Row[]): string[] {
  return rows
    .filter((row) => row.kind === 'count')
    .filter(({ count, atMost }) => count > atMost)
    .map(({ what, unit, count, atMost }) => `${what}: ${countText(count)} ${unit}, limit ${atMost}`);
}

/** The rows of one case. */
export function table(name: string, rows: readonly Row[]): string {
  const figures = rows.filter((row) => row.kind === 'figure');
  const lines = figures.length > 0 ? aligned([HEADINGS, ...figures.map(cells)], IS_NUMBER) : [];
  const counts = rows.filter((row) => row.kind === 'count');
  if (counts.length > 0) lines.push(...aligned([COUNT_HEADINGS, ...counts.map(countCells)], [false, true]));
  for (const row of rows) {
    if (row.kind === 'skipped') lines.push(`${row.what}: skipped, ${row.reason}`);
  }
  return [name, ...lines.map((line) => `  ${line}`)].join('\n');
}

function cells(figure: Figure): string[] {
  const { what, unit, subject, reference, against, ratio, goal, met } = figure;
  return [
    what,
    `${number(subject)} ${unit}`,
    `${number(reference)} ${unit}`,
    against,
    number(ratio),
    `(${spread(figure)})`,
    goal ? goalText(goal) : '',
    met === undefined ? '' : met ? 'met' : 'missed',
  ];
}

function countCells({ what, count, unit, atMost }: Count): string[] {
  return [what, countText(count), unit, `≤ ${atMost}`, count <= atMost ? 'met' : 'exceeded'];
}

export function goalText(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

/** The quartiles; beside them how many pairs they are of, where that is too few for them to say much. */
export function spread({ quartiles, pairs }: Figure): string {
  const range = quartiles.map(number).join(' – ');
  return pairs < FEW_PAIRS ? `${range}, ${pairs} ${pairs === 1 ? 'pair' : 'pairs'}` : range;
}

/** Three significant digits, and all of a whole number's; thousands apart. */
export function number(value: number): string {
  if (Math.abs(value) >= 100) return value.toLocaleString('en', { maximumFractionDigits: 0 });
  return value.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
}

/** What is whole stays as it is. */
export function countText(count: number): string {
  return Number.isInteger(count) ? count.toLocaleString('en') : number(count);
}

function aligned(rows: readonly (readonly string[])[], isNumber: readonly boolean[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}
