// `ollm list`: the sessions of the store, or of every program, newest activity first.
import { type Command, Option } from 'commander';
import type { App } from '../../app/app.ts';
import { cellsOf, documentOf } from '../../app/list/list-forms.ts';
import { mayBeImport } from '../../app/list/may-be-import.ts';
import type { SessionOrder } from '../../app/list/session-row.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import { parseCount, parseDirectory, parseSince, type Since } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { sessionTable } from '../session-table.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly limit?: number;
  readonly sort: SessionOrder;
  readonly all?: boolean;
  readonly hidden?: boolean;
  readonly agent?: string;
  readonly project?: string;
  readonly since?: Since;
}

export function defineList(program: Command, finish: Finish): void {
  const command = program
    .command('list')
    .description('list the sessions; with --all those of other programs too')
    .option('--all', 'also list the sessions of other programs, such as Claude Code and Codex')
    .option('--hidden', 'also list those of other programs that were hidden')
    .option('--agent <name>', 'only sessions of this program, such as claude or ollm')
    .option(
      '--project <directory>',
      'only sessions of this directory and below, such as ., and of other clones of its repository',
      parseDirectory,
    )
    .option('--since <time>', 'nothing older than this, such as 2w, 12h or 2026-11-21', parseSince)
    .option('-n, --limit <count>', 'show at most N sessions', parseCount)
    .addOption(
      new Option('--sort <order>', 'sort by')
        .choices(['activity', 'created', 'size', 'title'] satisfies SessionOrder[])
        .default('activity'),
    )
    .action(
      action<Options, []>(finish, async (shell, options) => {
        const { limit, sort } = options;
        const app = await shell.openApp('list');
        if (
          options.all ||
          options.hidden ||
          options.agent !== undefined ||
          options.project !== undefined ||
          options.since !== undefined
        )
          return printAll(shell, app, options);
        const { listSessions } = await import('../../app/list/list-sessions.ts');
        const rows = await listSessions(app, { sort, limit, without: (journals) => importsToLeaveOut(app, journals) });
        const { output } = shell;
        if (output.json) await output.data(`${JSON.stringify(rows.map(documentOf), null, 2)}\n`);
        else if (rows.length === 0 && limit !== 0) {
          output.note(
            `No sessions of ollm yet in ${app.store.location}. "ollm list --all" has those of other programs.`,
          );
        } else await output.list(rows, cellsOf, () => sessionTable(rows, app.clock.now()));
      }),
    );
  withExamples(command, [
    { line: 'ollm list', does: 'all sessions, the last one used on top' },
    { line: 'ollm list --all --limit 20', does: 'the last sessions of every program' },
    { line: 'ollm list --project . --since 2w', does: 'recent work here, by any program' },
    { line: 'ollm list --agent claude --json | jq -r ".[].address"', does: 'addresses of one program, for a script' },
    { line: 'ollm list --sort size --limit 5', does: 'the five largest' },
    { line: 'ollm list --json | jq -r ".[].id"', does: 'their ids, for a script' },
  ]);
}

/** Loads what finds them only where an id looks like that of an import. */
async function importsToLeaveOut(app: App, journals: readonly JournalFileInfo[]): Promise<ReadonlySet<string>> {
  if (!journals.some(({ id }) => mayBeImport(id))) return new Set();
  const { subagentImports } = await import('../../app/list/subagent-imports.ts');
  return subagentImports(app, journals);
}

async function printAll(
  { output, signal }: Shell,
  app: App,
  { limit = Number.POSITIVE_INFINITY, sort, agent, project, since, all: withCopies, hidden: withHidden }: Options,
): Promise<void> {
  const { listAll } = await import('../../app/list/list-all.ts');
  const { rows: all, unreadable } = await listAll(app, {
    agent,
    project,
    sinceMs: since?.(app.clock.now()),
    sort,
    withHidden,
    withCopies,
    signal,
  });
  const rows = all.slice(0, limit);
  const { allSessionsCells, allSessionsTable } = await import('../all-sessions.ts');
  if (output.json) await output.data(`${JSON.stringify(rows, null, 2)}\n`);
  else {
    const { HOME = '' } = app.env;
    await output.list(rows, allSessionsCells, () => allSessionsTable(rows, app.clock.now(), HOME));
  }
  for (const { path, reason } of unreadable) output.note(`${path} ${reason}.`);
  if (rows.length === 0 && limit !== 0) output.note('No session was found.');
}
