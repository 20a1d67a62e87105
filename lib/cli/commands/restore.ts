// `ollm restore`: a session comes back from the trash.
import type { Command } from 'commander';
import { action, type Finish, withExamples } from '../command.ts';

export function defineRestore(program: Command, finish: Finish): void {
  const command = program
    .command('restore')
    .description('bring a deleted session back from the trash')
    .argument('<id>', 'id of a deleted session, or a unique prefix of one')
    .action(
      action<object, [string]>(finish, async ({ output, openApp }, _options, reference) => {
        const app = await openApp('restore');
        const { restoreSession } = await import('../../app/sessions/delete-session.ts');
        const restored = await restoreSession(app, reference);
        if (output.json) await output.document(restored);
        else await output.line(`Restored ${restored.id}.`);
        return 0;
      }),
    );
  withExamples(command, [{ line: 'ollm restore notes', does: 'undo "ollm delete notes"' }]);
}
