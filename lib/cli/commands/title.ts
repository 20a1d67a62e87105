// `ollm title`: sets the title of a session, of ollm or of another program.
import type { Command } from 'commander';
import { printableLine } from '../../display/printable.ts';
import { shortId } from '../../display/short-id.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples } from '../command.ts';

export function defineTitle(program: Command, finish: Finish): void {
  const command = program
    .command('title')
    .description('give a session a title; one of another program gets it only here')
    .argument('<id>', CONVERSATION_ARGUMENT)
    .argument('<text...>', 'the title')
    .action(
      action<object, [string, readonly string[]]>(finish, async ({ output, openApp }, _options, reference, words) => {
        const app = await openApp('title');
        const { titleStored } = await import('../../app/sessions/change/title-session.ts');
        const titled = await titleStored(app, reference, words.join(' '));
        await output.done(titled, `${shortId(titled.id)} is called “${printableLine(titled.title)}” from now on.`);
      }),
    );
  withExamples(command, [
    { line: 'ollm title @last The garden', does: 'what lists and pickers call the last session' },
    { line: 'ollm title claude:5f3c The deadlock', does: 'a session of Claude Code; its file stays as it is' },
  ]);
}
