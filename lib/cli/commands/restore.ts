// `ollm restore`: a session comes back from the trash; without an id, the list of sessions in the trash.
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { relativeTime } from '../../display/relative-time.ts';
import { shortId } from '../../display/short-id.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';

export function defineRestore(program: Command, finish: Finish): void {
  const command = program
    .command('restore')
    .description('bring a deleted session back from the trash, or list the trash')
    .argument(
      '[id]',
      'id of a deleted session, address of a hidden one, or a unique prefix; without it, the trash is listed',
    )
    .action(
      action<object, [string | undefined]>(finish, async ({ output, openApp }, _options, reference) => {
        const app = await openApp('restore');
        if (reference === undefined) return listTrash(app, output);
        const { restoreForeign, restoreSession } = await import('../../app/sessions/change/delete-session.ts');
        const shown = await restoreForeign(app, reference);
        if (shown !== undefined) {
          const withImport = shown.importId ? `, with its import ${shown.importId}` : '';
          const document = { id: shown.importId, ...shown, hidden: false };
          await output.done(document, `${shown.address} is shown again${withImport}.`);
          return;
        }
        const restored = await restoreSession(app, reference);
        const agents = restored.agents?.length ?? 0;
        const beside = agents === 0 ? '' : `, with the ${countOf(agents, 'session')} of its agents`;
        await output.done(restored, `Restored ${shortId(restored.id)}${beside}.`);
      }),
    );
  withExamples(command, [
    { line: 'ollm restore notes', does: 'undo "ollm delete notes"' },
    { line: 'ollm restore claude:5f3c', does: 'shows a session of Claude Code again' },
    { line: 'ollm restore', does: 'the sessions in the trash' },
  ]);
}

async function listTrash(app: App, output: Output): Promise<void> {
  const { store, clock } = app;
  const entries = await store.listTrash();
  if (output.json) return output.document(entries);
  const { hiddenSessions } = await import('../../app/list/foreign-notes.ts');
  const { size } = hiddenSessions(app);
  if (size === 1) output.note('1 session of another program is hidden: "ollm list --hidden" shows it too.');
  if (size > 1) output.note(`${size} sessions of other programs are hidden: "ollm list --hidden" shows them too.`);
  if (entries.length === 0) return output.note('The trash is empty.');
  const age = (time: string) => relativeTime(time, clock.now());
  await output.list(
    entries,
    ({ id, bytes, deletedAt }) => [id, bytes, deletedAt],
    () => [
      { title: 'ID', cells: entries.map(({ id }) => id), style: 'cyan', grows: true },
      { title: 'SIZE', cells: entries.map(({ bytes }) => formatBytes(bytes)), align: 'right' },
      { title: 'DELETED', cells: entries.map(({ deletedAt }) => age(deletedAt)), style: 'dim' },
    ],
  );
}
