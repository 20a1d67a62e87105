// /fork: a new session that knows what this one knows, and goes on by itself. This one stays as it is.
import { forkSession } from '../../app/sessions/fork-session.ts';
import { openSession } from '../../app/sessions/open-session.ts';
import { OllmError } from '../../errors/index.ts';
import { introduce } from '../introduction.ts';
import { appOf, type ReplCommand, wrongUsage } from './command.ts';

export const forkCommand: ReplCommand = {
  name: 'fork',
  group: 'session',
  arguments: '[NAME]',
  summary: 'continues in a copy of this session; the original stays as it is',
  example: '/fork other-idea',
  legal: 'writable',
  async run(context, argument) {
    const name = argument.trim() || undefined;
    if (name?.startsWith('--')) throw wrongUsage(forkCommand, 'It takes no options; "ollm fork" has them.');
    if (context.conversation.ephemeral) {
      throw new OllmError('USAGE', 'An ephemeral session cannot be forked.', { hint: 'Keep it first, with /save.' });
    }
    const parent = context.conversation.session;
    const { id } = await forkSession(appOf(context), parent.id, { name });
    const next = await openSession(appOf(context), { kind: 'resume', reference: id });
    await parent.close('exit');
    context.conversation = next;
    context.front.print(`Forked from ${parent.id}; /load ${parent.id} goes back.`);
    introduce(context.front, next, { isNew: true });
    return undefined;
  },
};
