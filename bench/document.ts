// The tables of docs/performance.md: between `<!-- bench CASE… -->` and `<!-- /bench -->` stands what the cases of that name
// came to, and when, where and of what that was taken. Cases that did not run, or broke off, keep what stands there.
import type { Machine } from './machine.ts';
import type { Figure, Row } from './measure.ts';
import type { Revision } from './revision.ts';
import { countText, goalText, number, spread } from './table.ts';

const TABLE = /(<!-- bench ([\w -]+) -->\n)[\s\S]*?(<!-- \/bench -->)/g;
const MACHINE = /(<!-- machine -->\n)[\s\S]*?(<!-- \/machine -->)/;
const COMMIT_DIGITS = 7;

export interface Taken {
  /** ISO 8601. */
  readonly started: string;
  readonly revision: Revision | undefined;
  readonly machine: Machine;
  /** Rows by case. */
  readonly results: Readonly<Record<string, readonly Row[]>>;
}

/** The page with the tables of these results. */
export function documented(page: string, taken: Taken): string {
  const { machine, results } = taken;
  return page
    .replace(MACHINE, (_, start, end) => `${start}\n${machineLine(machine)}\n\n${end}`)
    .replace(TABLE, (whole, start: string, names: string, end: string) => {
      const cases = names.split(' ');
      if (cases.some((name) => results[name] === undefined)) return whole;
      const rows = cases.flatMap((name) => results[name]!);
      return `${start}\n${takenLine(taken)}\n\n${tableOf(rows)}\n\n${end}`;
    });
}

/** The cases of each table of which some are among these, and others are not: it would not be written. */
export function halfTables(page: string, names: readonly string[]): string[][] {
  return [...page.matchAll(TABLE)]
    .map(([, , cases]) => cases!.split(' '))
    .filter((cases) => cases.some((name) => names.includes(name)) && !cases.every((name) => names.includes(name)));
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
  const { what, unit, subject, against, reference, ratio, goal, met } = figure;
  const cells = [
    what === above?.what ? '' : what,
    `${number(subject)} ${unit}`,
    `${number(reference)} ${unit}`,
    against,
    `${number(ratio)} (${spread(figure)})`,
    goal ? `${goalText(goal)}${met ? '' : ', **missed**'}` : '',
  ];
  return `| ${cells.join(' | ')} |`;
}

function takenLine({ started, revision, machine: { load, dataSyncMs, fileSystem } }: Taken): string {
  const commit = revision ? ` at commit ${revision.commit.slice(0, COMMIT_DIGITS)}` : '';
  const changes = revision?.isClean === false ? ' with changes' : '';
  const disk = `a write and its fdatasync on ${fileSystem} ${number(dataSyncMs)} ms`;
  return `Taken on ${started.slice(0, 10)}${commit}${changes}, load ${load}, ${disk}.`;
}

function machineLine({ cpu, cores, memoryGiB, system, node }: Machine): string {
  return `${cores} cores of an ${cpu}, ${memoryGiB} GiB, ${system}, Node ${node}.`;
}
