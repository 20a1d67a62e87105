// `ollm restore`: a session comes back from the trash; without an id, what the trash holds.
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import { formatBytes } from '../../display/quantities.ts';
import { relativeTime } from '../../display/relative-time.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';

export function defineRestore(program: Command, finish: Finish): void {
  const command = program
    .command('restore')
    .description('bring a deleted session back from the trash, or list the trash')
    .argument('[id]', 'id of a deleted session, or a unique prefix of one; without it, the trash is listed')
    .action(
      action<object, [string | undefined]>(finish, async ({ output, openApp }, _options, reference) => {
        const app = await openApp('restore');
        if (reference === undefined) {
          await listTrash(app, output);
          return 0;
        }
        const { restoreSession } = await import('../../app/sessions/change/delete-session.ts');
        const restored = await restoreSession(app, reference);
        if (output.json) await output.document(restored);
        else await output.line(`Restored ${restored.id}.`);
        return 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm restore notes', does: 'undo "ollm delete notes"' },
    { line: 'ollm restore', does: 'what the trash holds' },
  ]);
}

async function listTrash({ store, clock }: App, output: Output): Promise<void> {
  const entries = await store.listTrash();
  if (output.json) return output.document(entries);
  if (entries.length === 0) return output.note('The trash is empty.');
  if (!output.isTerminal) {
    return output.data(entries.map(({ id, bytes, deletedAt }) => `${[id, bytes, deletedAt].join('\t')}\n`).join(''));
  }
  await output.table([
    { title: 'ID', cells: entries.map(({ id }) => id), style: 'cyan', grows: true },
    { title: 'SIZE', cells: entries.map(({ bytes }) => formatBytes(bytes)), align: 'right' },
    {
      title: 'DELETED',
      cells: entries.map(({ deletedAt }) => relativeTime(deletedAt, clock.now())),
      style: 'dim',
    },
  ]);
}
