// /load: closes this session and goes on with another one.
import { openSession } from '../../app/open-session.ts';
import { resolveId } from '../../app/resolve-id.ts';
import { introduce } from '../introduction.ts';
import { type ReplCommand, wrongUsage } from './command.ts';

export const loadCommand: ReplCommand = {
  name: 'load',
  group: 'session',
  arguments: 'ID',
  summary: 'goes on with another session: its id, a prefix, its name or @last',
  example: '/load @last',
  legal: 'always',
  complete: ({ app }) => ['@last', ...app.store.list().map(({ id }) => id)],
  async run(context, argument) {
    const reference = argument.trim();
    if (reference === '') throw wrongUsage(loadCommand, 'Which session?');
    const id = resolveId(context.app, reference);
    if (id === context.conversation.session.id && !context.conversation.ephemeral) {
      context.front.print('That is this session.');
      return undefined;
    }
    const next = await openSession(context.app, { kind: 'resume', reference: id });
    await context.conversation.session.close('exit');
    context.conversation = next;
    introduce(context.front, next);
    return undefined;
  },
};
