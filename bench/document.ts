// The tables of docs/performance.md: between `<!-- bench CASE… -->` and `<!-- /bench -->` stands what the cases of that name
// came to. Cases that did not run keep what stands there.
import type { Machine } from './machine.ts';
import type { Figure, Row } from './measure.ts';
import { countText, goalText, number } from './table.ts';

const TABLE = /(<!-- bench ([\w -]+) -->\n)[\s\S]*?(<!-- \/bench -->)/g;
const MACHINE = /(<!-- machine -->\n)[\s\S]*?(<!-- \/machine -->)/;

/** The page with the tables of these results. */
export function documented(page: string, machine: Machine, results: Readonly<Record<string, readonly Row[]>>): string {
  return page
    .replace(MACHINE, (_, start, end) => `${start}\n${machineLines(machine)}\n\n${end}`)
    .replace(TABLE, (whole, start: string, names: string, end: string) => {
      const cases = names.split(' ');
      if (cases.some((name) => results[name] === undefined)) return whole;
      return `${start}\n${tableOf(cases.flatMap((name) => results[name]!))}\n\n${end}`;
    });
}

function tableOf(rows: readonly Row[]): string {
  const figures = rows.filter((row) => row.kind === 'figure');
  const counts = rows.filter((row) => row.kind === 'count');
  const lines: string[] = [];
  if (figures.length > 0) {
    lines.push('| | ollm | against | | ratio (quartiles) | goal |', '|---|---:|---:|---|---:|---|');
    lines.push(...figures.map((figure, index) => figureLine(figure, figures[index - 1])));
  }
  if (counts.length > 0) {
    lines.push('| | count | | limit |', '|---|---:|---|---:|');
    for (const { what, count, unit, atMost } of counts)
      lines.push(`| ${what} | ${countText(count)} | ${unit} | ${atMost} |`);
  }
  for (const row of rows) if (row.kind === 'skipped') lines.push('', `${row.what}: skipped, ${row.reason}.`);
  return lines.join('\n');
}

/** What stands in the row above is not said again. */
function figureLine(figure: Figure, above: Figure | undefined): string {
  const { what, unit, subject, against, reference, ratio, quartiles, goal, met } = figure;
  const cells = [
    what === above?.what ? '' : what,
    `${number(subject)} ${unit}`,
    `${number(reference)} ${unit}`,
    against,
    `${number(ratio)} (${quartiles.map(number).join(' – ')})`,
    goal ? `${goalText(goal)}${met ? '' : ', **missed**'}` : '',
  ];
  return `| ${cells.join(' | ')} |`;
}

function machineLines({ cpu, cores, memoryGiB, system, node, fileSystem, dataSyncMs, load }: Machine): string {
  return [
    `${cores} cores of an ${cpu}, ${memoryGiB} GiB, ${system}, ${fileSystem}, Node ${node};`,
    `a write of 4 kB and its fdatasync took ${number(dataSyncMs)} ms, the load before the run was ${load}.`,
  ].join('\n');
}
