// `ollm revert`: files that tools changed in a session are put back as they were.
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import type { PlannedFile, RevertPlan } from '../../app/sessions/change/revert-files.ts';
import { printable, printableLine } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly at?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const REFUSED_EXIT = 1;

export function defineRevert(program: Command, finish: Finish): void {
  const command = program
    .command('revert')
    .description('put files back that tools changed in a session, after showing the differences')
    .argument('<id>', SESSION_ARGUMENT)
    .argument('[path...]', 'only these files, or those in these directories')
    .option('--at <seq>', 'the files as they were at this event; default: before the session changed them', parseCount)
    .option('--dry-run', 'show the differences and change nothing')
    .option('-y, --yes', 'do not ask')
    .action(
      action<Options, [string, string[]]>(finish, async (shell, options, reference, paths) => {
        const app = await shell.openApp('revert');
        const { resolveId } = await import('../../app/find/find-session.ts');
        const { planRevert } = await import('../../app/sessions/change/revert-files.ts');
        const id = await resolveId(app, reference);
        const request = { since: options.at, paths: paths.length === 0 ? undefined : paths };
        const plan = await planRevert(app, { id, store: app.store }, request);
        if (!shell.output.json) await show(shell, id, plan);
        const todo = plan.files.filter(({ effect }) => effect !== 'refuse');
        if (options.dryRun || todo.length === 0) {
          if (shell.output.json) await shell.output.document({ id, ...plan });
          return plan.files.length === todo.length ? 0 : REFUSED_EXIT;
        }
        await requireFree(app, id);
        const warning = `${countOf(todo.length, 'file')} put back as shown: what is there now is replaced.`;
        if (!(await confirm(shell, { warning, reversible: false, yes: options.yes }))) return REFUSED_EXIT;
        return putBack(shell, app, id, plan);
      }),
    );
  withExamples(command, [
    { line: 'ollm revert @last --dry-run', does: 'see what tools changed in the last session' },
    { line: 'ollm revert notes src --yes', does: 'put back what tools changed in src' },
    { line: 'ollm revert notes --at 41', does: 'the files as they were at event 41' },
  ]);
}

/** Before the question: the answer would be in vain. @throws OllmError JOURNAL_LOCKED, with what to do instead */
async function requireFree(app: App, id: string): Promise<void> {
  const holder = await app.store.holder(id);
  if (holder === undefined) return;
  const { command = 'another process', pid } = holder;
  const isServer = command.startsWith('ollm serve');
  const hint = isServer
    ? `"ollm repl --resume ${id}" takes it over from the server; type /revert there.`
    : `Type /revert in that REPL, which does the same, or leave it and run this again.`;
  throw new OllmError(
    'JOURNAL_LOCKED',
    `Session ${id} is open in ${command}${pid === undefined ? '' : ` (pid ${pid})`}.`,
    {
      hint,
      data: { id, holder },
    },
  );
}

async function show({ output }: Shell, id: string, { files, opaque }: RevertPlan): Promise<void> {
  const { opaqueSentence, plannedLine } = await import('../../app/sessions/change/revert-words.ts');
  for (const file of files) {
    await output.line(printableLine(plannedLine(file)));
    if (file.diff !== '') await output.line(indented(file));
  }
  if (files.length === 0) output.note(`No file is changed by tools of ${id}, or all were put back.`);
  const more = opaqueSentence(opaque);
  if (more !== undefined) output.note(printableLine(more));
}

/** Without the two lines that name the file. */
function indented({ diff }: PlannedFile): string {
  const lines = printable(diff).trimEnd().split('\n');
  return lines
    .filter((line) => !/^(?:---|\+\+\+) /.test(line))
    .map((line) => `  ${line}`)
    .join('\n');
}

async function putBack(
  { output }: Shell,
  app: Awaited<ReturnType<Shell['openApp']>>,
  id: string,
  plan: RevertPlan,
): Promise<number> {
  const { openSession } = await import('../../session/open.ts');
  const { sessionOptions } = await import('../../app/sessions/open/conversation-in.ts');
  const { revertFiles } = await import('../../app/sessions/change/revert-files.ts');
  const { revertedLine } = await import('../../app/sessions/change/revert-words.ts');
  const session = await openSession(app.store, id, sessionOptions(app));
  try {
    const files = await revertFiles(app, { session, store: app.store }, plan);
    if (output.json) await output.document({ id, since: plan.since, files, opaque: plan.opaque });
    else for (const file of files) await output.line(printableLine(revertedLine(file)));
    return files.some(({ outcome }) => outcome === 'refused') ? REFUSED_EXIT : 0;
  } finally {
    await session.close('exit');
  }
}
