// `ollm delete`: a session goes to the trash, or is deleted permanently; one that another program keeps is hidden.
import type { Command } from 'commander';
import { countOf } from '../../display/quantities.ts';
import { shortId } from '../../display/short-id.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples } from '../command.ts';
import { confirm } from '../confirm.ts';

interface Options {
  readonly purge?: boolean;
  readonly yes?: boolean;
}

export function defineDelete(program: Command, finish: Finish): void {
  const command = program
    .command('delete')
    .description('move a session to the trash; one of another program is hidden, and its file stays')
    .argument('<id>', CONVERSATION_ARGUMENT)
    .option('--purge', 'delete permanently, with its earlier journals in archive/')
    .option('-y, --yes', 'do not ask')
    .action(
      action<Options, [string]>(finish, async (shell, { purge, yes }, reference) => {
        const app = await shell.openApp('delete');
        const { deleteForeign, deleteSession, findDeletable } = await import(
          '../../app/sessions/change/delete-session.ts'
        );
        const found = await findDeletable(app, reference);
        if (found.kind === 'foreign') {
          const { address, kept, importId } = found;
          const file = kept === undefined ? 'Its file is gone.' : `No byte of ${kept.path} is changed.`;
          const stays = `${address} is not listed, searched or imported any more. ${file}`;
          const goes =
            importId &&
            (purge ? ` Its import ${importId} is deleted permanently.` : ` Its import ${importId} goes to the trash.`);
          if (!(await confirm(shell, { warning: `${stays}${goes ?? ''}`, reversible: !purge, yes }))) return 1;
          const entry = await deleteForeign(app, found, { purge });
          if (shell.output.json)
            await shell.output.document({
              address,
              hidden: kept !== undefined || !purge,
              ...entry,
              purged: purge === true,
            });
          else
            await shell.output.line(
              purge && !kept
                ? `Deleted ${address} permanently.`
                : `${stays}${goes ?? ''} "ollm restore ${address}" shows it again.`,
            );
          return 0;
        }
        const { id } = found;
        const { ownAgentSessions } = await import('../../app/find/agent-sessions.ts');
        const agents = (await ownAgentSessions(app.store, id)).length;
        const beside = agents === 0 ? '' : `, with the ${countOf(agents, 'session')} of its agents`;
        const warning = purge
          ? `Session ${shortId(id)} will be deleted permanently, with its earlier journals in archive/${beside}.`
          : `Session ${shortId(id)} goes to the trash${beside}.`;
        if (!(await confirm(shell, { warning, reversible: !purge, yes }))) return 1;
        const entry = await deleteSession(app, id, { purge });
        if (shell.output.json) await shell.output.document({ ...entry, purged: purge === true });
        else if (purge) await shell.output.line(`Deleted ${shortId(id)} permanently${beside}.`);
        else await shell.output.line(`Deleted ${shortId(id)}${beside}. "ollm restore ${shortId(id)}" brings it back.`);
      }),
    );
  withExamples(command, [
    { line: 'ollm delete notes', does: 'to the trash; "ollm restore notes" brings it back' },
    { line: 'ollm delete claude:5f3c', does: 'no longer shown here; its file stays as it is' },
    { line: 'ollm delete 550e84 --purge --yes', does: 'permanently, without a question' },
  ]);
}
