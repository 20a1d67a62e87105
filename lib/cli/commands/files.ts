// `ollm files`: the files that discovery finds, a path on each line, and with --watch what changes among them.
import type { Command } from 'commander';
import type { FilesRequest } from '../../app/project/find-files.ts';
import type { DiscoveryReport } from '../../discovery/types.ts';
import { printableLine } from '../../display/printable.ts';
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

export function defineFiles(program: Command, finish: Finish): void {
  const command = program
    .command('files')
    .description('list the files of a project as everything here finds them: without what its ignore files leave out')
    .argument('[root]', 'a directory (default: the current one)')
    .option('--depth <levels>', 'enter directories so many levels deep', parseCount)
    .option('--include <glob>', 'only files that match; may be repeated', oneMore)
    .option('--exclude <glob>', 'no files and directories that match; may be repeated', oneMore)
    .option('--watch', 'print what changes instead, until Ctrl+C')
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
    { line: 'ollm files --watch --include "*.md"', does: 'tell of each note that is written or goes' },
  ]);
}

async function list({ output, signal, openApp }: Shell, request: FilesRequest): Promise<number> {
  const app = await openApp('files');
  const { findFiles } = await import('../../app/project/find-files.ts');
  const { files, report } = await findFiles(app, { ...request, signal });
  const takeTurns = turnTaker(signal);
  for (const warning of report.warnings) output.warn(warning);
  for (const file of files) {
    await printPath(output, file, file.relativePath);
    await takeTurns();
  }
  output.note(`${countOf(files.length, 'file')}${leftOut(report)}.`);
  return 0;
}

async function watchAndPrint({ output, signal, openApp }: Shell, request: FilesRequest): Promise<number> {
  const app = await openApp('files');
  const { watchFiles } = await import('../../app/project/find-files.ts');
  const onReady = () => output.note('Watching. Ctrl+C ends it.');
  const onProblem = ({ message, hint }: { message: string; hint: string | undefined }) =>
    output.warn(`${message} ${hint ?? ''}`.trim());
  for await (const change of watchFiles(app, { ...request, signal, onReady, onProblem })) {
    await printPath(output, change, `${change.event.padEnd(EVENT_WIDTH)}${change.relativePath}`);
  }
  return 0;
}

/** On a terminal a name cannot play tricks; a program gets it as it is. */
async function printPath(output: Output, record: object, line: string): Promise<void> {
  if (output.json) await output.data(`${JSON.stringify(record)}\n`);
  else await output.line(output.isTerminal ? printableLine(line) : line);
}

function leftOut({ unreadable, unreadablePaths, links, linksOutside, linkCircles, tooDeep }: DiscoveryReport): string {
  const reasons: string[] = [];
  if (unreadable > 0) {
    const more = unreadable > 1 ? ', …' : '';
    reasons.push(`${unreadable} that could not be read (${printableLine(unreadablePaths[0] ?? '')}${more})`);
  }
  if (links > 0) {
    const why = [linksOutside > 0 && `${linksOutside} to outside`, linkCircles > 0 && `${linkCircles} in a circle`];
    const details = why.filter(Boolean).join(', ');
    reasons.push(`${countOf(links, 'symbolic link')}${details && ` (${details})`}`);
  }
  if (tooDeep > 0) reasons.push(`${tooDeep === 1 ? '1 directory' : `${tooDeep} directories`} too deep`);
  return reasons.length === 0 ? '' : `; left out: ${reasons.join(', ')}`;
}

function oneMore(glob: string, globs: readonly string[] = []): readonly string[] {
  return [...globs, glob];
}
