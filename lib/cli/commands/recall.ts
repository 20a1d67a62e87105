// `ollm recall`: the passages of sessions and project files that answer a question, with the reason for each.
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { FoundPassage, RecallAnswer } from '../../app/recall/recall.ts';
import { printableLine, tabbedLine } from '../../display/printable.ts';
import { formatTime } from '../../display/quantities.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import { progressDrawer } from '../progress-bar.ts';

interface Options {
  readonly project?: string;
  readonly only?: 'files' | 'sessions';
  readonly limit: number;
}

const DEFAULT_LIMIT = 8;
const SHOWN_LINES = 6;

export function defineRecall(program: Command, finish: Finish): void {
  const command = program
    .command('recall')
    .description('find the passages of sessions and project files that answer a question, best first')
    .argument('<words...>', 'a question, or the words of one')
    .option('--project <directory>', 'only files of this directory, and sessions in it or below it, such as .')
    .addOption(new Option('--only <kind>', 'only passages of files, or of sessions').choices(['files', 'sessions']))
    .option('-n, --limit <count>', 'show at most N passages', parseCount, DEFAULT_LIMIT)
    .action(
      action<Options, [string[]]>(finish, async ({ openApp, output, signal }, options, words) => {
        const app = await openApp('recall');
        const { recall, reasonOf } = await import('../../app/recall/recall.ts');
        const { project, only, limit } = options;
        const scope = {
          project: project === undefined ? undefined : resolve(project),
          kind: only === undefined ? undefined : only === 'files' ? ('file' as const) : ('session' as const),
        };
        const draw = progressDrawer(output);
        const answer = await recall(
          app,
          { text: words.join(' '), limit, scope },
          { signal, onProgress: ({ done, total, name }) => draw({ done, total, text: name }) },
        );
        output.progress('');
        await print(output, { ...answer, reasonOf }, app.paths.project);
      }),
    );
  withExamples(command, [
    { line: 'ollm recall why did the build fail --project .', does: 'earlier messages and work about it here' },
    { line: 'ollm recall where are payloads stored --only files', does: 'the places in the files of this project' },
    { line: 'ollm recall port of the server --json | jq -r .place', does: 'only the places, for a script' },
  ]);
}

interface Shown extends RecallAnswer {
  reasonOf(passage: FoundPassage): string;
}

async function print(output: Output, { passages, notes, reasonOf }: Shown, project: string): Promise<void> {
  for (const passage of passages) {
    if (output.json) await output.line(JSON.stringify(passage));
    else if (!output.isTerminal) await output.data(tabbedLine(cellsOf(passage, project)));
    else await printPassage(output, passage, { project, reason: reasonOf(passage) });
  }
  for (const sentence of notes) output.note(sentence);
  if (passages.length === 0) output.note('No passage was found. "ollm sync" brings in sessions of other programs.');
}

/** For a pipe: place, score, matching words, subject, beginning. */
function cellsOf(passage: FoundPassage, project: string): readonly unknown[] {
  const { score, words, about, quote } = passage;
  const [first = ''] = quote.text.trim().split('\n', 1);
  return [placeOf(passage, project), score.toFixed(3), words.join(' '), about, first];
}

async function printPassage(
  output: Output,
  passage: FoundPassage,
  { project, reason }: { readonly project: string; readonly reason: string },
): Promise<void> {
  const { colors } = output;
  const { about, quote, at } = passage;
  const head = [at === undefined ? '' : formatTime(at), printableLine(about)].filter((part) => part !== '');
  await output.line(`${colors.bold(printableLine(placeOf(passage, project)))}  ${colors.dim(head.join(' · '))}`);
  await output.line(colors.dim(`  ${printableLine(reason)}`));
  const lines = quote.text.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines.slice(0, SHOWN_LINES)) await output.line(`  ${printableLine(line)}`);
  if (lines.length > SHOWN_LINES) await output.line(colors.dim(`  … ${lines.length - SHOWN_LINES} more lines`));
}

function placeOf({ kind, place, project: of }: FoundPassage, project: string): string {
  return kind === 'session' || of === undefined || of === project ? place : join(of, place);
}
