// `ollm files`: the files that discovery finds, a path on each line, and with --watch what changes among them.
import type { Command } from 'commander';
import type { FilesRequest } from '../../app/project/find-files.ts';
import type { DiscoveryReport } from '../../discovery/types.ts';
import { printableLine, printableName } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import type { Shell } from '../shell.ts';
import { turnTaker } from '../take-turns.ts';

interface Options {
  readonly depth?: number;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly watch?: boolean;
}

/** As wide as the longest event. */
const EVENT_WIDTH = 8;
/** Written together: a write costs more than the line. */
const FILES_AT_ONCE = 256;

export function defineFiles(program: Command, finish: Finish): void {
  const command = program
    .command('files')
    .description('list the files of a project, respecting its ignore files')
    .argument('[root]', 'a directory (default: the current one)')
    .option('--depth <levels>', 'enter at most N levels of directories', parseCount)
    .option('--include <glob>', 'only files that match; may be repeated', oneMore)
    .option('--exclude <glob>', 'leave out files and directories that match; may be repeated', oneMore)
    .option('--watch', 'print changes instead, until Ctrl+C')
    .action(
      action<Options, [string | undefined]>(finish, async (shell, options, root) => {
        const { watch, ...wishes } = options;
        return watch ? await watchAndPrint(shell, { root, ...wishes }) : await list(shell, { root, ...wishes });
      }),
    );
  withExamples(command, [
    { line: 'ollm files', does: 'every file of the project, in the order of their paths' },
    { line: 'ollm files lib --include "*.ts" --exclude "*.test.ts"', does: 'some of them' },
    {
      line: 'ollm files --json | jq -r "select(.size > 100000).path"',
      does: 'the large ones: each line has size and time',
    },
    { line: 'ollm files --watch --include "*.md"', does: 'print each note that is written or removed' },
  ]);
}

async function list({ output, signal, openApp }: Shell, request: FilesRequest): Promise<void> {
  const app = await openApp('files');
  const { findFileNames, findFiles } = await import('../../app/project/find-files.ts');
  // Only a record has size and time, for which each file is looked at.
  const { files, report } = await (output.json ? findFiles : findFileNames)(app, { ...request, signal });
  const takeTurns = turnTaker(signal);
  for (const warning of report.warnings) output.warn(warning);
  for (let printed = 0; printed < files.length; printed += FILES_AT_ONCE) {
    const lines = files.slice(printed, printed + FILES_AT_ONCE).map((file) => lineFor(output, file, file.relativePath));
    await printLines(output, lines.join(''));
    await takeTurns();
  }
  output.note(`${countOf(files.length, 'file')}${leftOut(report)}.`);
}

async function watchAndPrint({ output, signal, openApp }: Shell, request: FilesRequest): Promise<void> {
  const app = await openApp('files');
  const { watchFiles } = await import('../../app/project/find-files.ts');
  const onReady = () => output.note('Watching. Ctrl+C ends it.');
  const onProblem = ({ message, hint }: { message: string; hint: string | undefined }) =>
    output.warn(`${message} ${hint ?? ''}`.trim());
  for await (const change of watchFiles(app, { ...request, signal, onReady, onProblem })) {
    await printLines(output, lineFor(output, change, `${change.event.padEnd(EVENT_WIDTH)}${change.relativePath}`));
  }
}

/** A name is one line, and on a terminal it cannot play tricks. Programs get names as they are from --json. */
function lineFor(output: Output, record: object, line: string): string {
  if (output.json) return `${JSON.stringify(record)}\n`;
  return `${printableName(line, output)}\n`;
}

function printLines(output: Output, lines: string): Promise<void> {
  return output.json ? output.data(lines) : output.write(lines);
}

function leftOut(report: DiscoveryReport): string {
  const { unreadable, unreadablePaths, links, linksOutside, linkCircles, tooDeep, builtin, builtinNames } = report;
  const reasons: string[] = [];
  if (builtin > 0) reasons.push(`${directories(builtin)} named ${builtinNames.toSorted().join(', ')}`);
  if (unreadable > 0) {
    const more = unreadable > 1 ? ', …' : '';
    reasons.push(`${unreadable} that could not be read (${printableLine(unreadablePaths[0] ?? '')}${more})`);
  }
  if (links > 0) {
    const why = [linksOutside > 0 && `${linksOutside} to outside`, linkCircles > 0 && `${linkCircles} in a circle`];
    const details = why.filter(Boolean).join(', ');
    reasons.push(`${countOf(links, 'symbolic link')}${details && ` (${details})`}`);
  }
  if (tooDeep > 0) reasons.push(`${directories(tooDeep)} too deep`);
  return reasons.length === 0 ? '' : `; left out: ${reasons.join(', ')}`;
}

function directories(count: number): string {
  return count === 1 ? '1 directory' : `${count} directories`;
}

function oneMore(glob: string, globs: readonly string[] = []): readonly string[] {
  return [...globs, glob];
}
