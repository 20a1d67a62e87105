// Changes to settings of other programs, as a user meets them: each as a sentence and a diff, a question, and then what
// was done. The file as it was is kept.
import { type Changed, changePlanned, type Planned } from '../../app/agent-config/change-planned.ts';
import type { App } from '../../app/app.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { confirm } from '../confirm.ts';
import type { Output } from '../output.ts';
import type { Shell } from '../shell.ts';

/** What every plan for a file of another program says. */
interface SettingsRow {
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly state: string;
  readonly reason: string | undefined;
}

interface Wishes<Row> {
  readonly dryRun: boolean | undefined;
  readonly yes: boolean | undefined;
  /** The change as a sentence, or why there is none. */
  sentenceOf(row: Row): string;
  /** The name of the copies of a file. */
  copyOf(row: Row): string;
  /** The note if there are no plans. */
  readonly nothing: string;
  /** Notes after changes. */
  readonly afterwards: readonly string[];
}

/** States in which the wish of the user is not met. */
const UNDONE = ['refused', 'taken', 'unused'];

/** Answers with the exit code: 1 if a file could not be changed, or the user said no. */
export async function changeSettings<Row extends SettingsRow>(
  shell: Shell,
  app: App,
  plans: readonly Planned<Row>[],
  { dryRun, yes, ...words }: Wishes<Row>,
): Promise<number> {
  const { output } = shell;
  const changes = plans.filter(({ change }) => change !== undefined);
  if (dryRun || changes.length === 0) {
    if (output.json) await output.document(await Promise.all(plans.map((plan) => documentOf(app, plan))));
    else await tellPlans(output, app, plans, words);
    return exitCodeOf(plans.map(({ row }) => row));
  }
  if (!output.json && !yes) await tellPlans(output, app, plans, words);
  const warning = `${countOf(changes.length, 'file')} of other programs will be changed.`;
  if (!(await confirm(shell, { warning, reversible: false, yes }))) return 1;
  const rows: Changed<Row>[] = [];
  for (const plan of plans) rows.push(await changePlanned(app, plan, words.copyOf(plan.row)));
  if (output.json) await output.document(rows);
  else await tellChanges(output, plans, rows, words);
  return exitCodeOf(rows);
}

async function documentOf<Row extends SettingsRow>(app: App, plan: Planned<Row>): Promise<object> {
  return { ...plan.row, diff: await diffOf(app, plan) };
}

async function diffOf<Row>(app: App, { change }: Planned<Row>): Promise<string | undefined> {
  if (change === undefined) return undefined;
  const { shownChange } = await import('../../app/agent-config/shown-change.ts');
  const { file, text } = change;
  return shownChange(app, {
    path: file.path.replace(/^\//, ''),
    before: file.mode === undefined ? undefined : file.text,
    after: text,
  });
}

type Words<Row> = Pick<Wishes<Row>, 'sentenceOf' | 'nothing' | 'afterwards'>;

async function tellPlans<Row>(
  output: Output,
  app: App,
  plans: readonly Planned<Row>[],
  { sentenceOf, nothing }: Words<Row>,
): Promise<void> {
  for (const plan of plans) {
    await output.line(sentenceOf(plan.row));
    const diff = await diffOf(app, plan);
    if (diff !== undefined) await output.line(colored(output, diff));
  }
  if (plans.length === 0) output.note(nothing);
}

function colored({ colors }: Output, diff: string): string {
  const paint = (line: string) =>
    line.startsWith('+') ? colors.green(line) : line.startsWith('-') ? colors.red(line) : line;
  return diff
    .split('\n')
    .map((line) => paint(line))
    .join('\n');
}

const DONE: Readonly<Record<string, string>> = { add: 'added to', change: 'changed in', remove: 'taken out of' };

async function tellChanges<Row extends SettingsRow>(
  output: Output,
  plans: readonly Planned<Row>[],
  rows: readonly Changed<Row>[],
  { afterwards }: Words<Row>,
): Promise<void> {
  for (const [index, row] of rows.entries()) {
    if (plans[index]!.change === undefined) continue;
    if (row.state === 'refused') {
      output.warn(`${row.title}: ${row.reason}`);
      continue;
    }
    const kept = row.kept === undefined ? '' : `; the file as it was: ${printableLine(row.kept)}`;
    await output.line(`${row.title}: ${DONE[row.state]} ${printableLine(row.path)}${kept}`);
  }
  for (const sentence of afterwards) output.note(sentence);
}

function exitCodeOf(rows: readonly Pick<SettingsRow, 'state'>[]): number {
  return rows.some(({ state }) => UNDONE.includes(state)) ? 1 : 0;
}
