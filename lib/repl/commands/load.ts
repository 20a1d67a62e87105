// /load: closes this session and goes on with another one.

import { resolveId } from '../../app/sessions/find-session.ts';
import { leaveSession } from '../../app/sessions/leave-session.ts';
import { openSession } from '../../app/sessions/open-session.ts';
import { introduce } from '../introduction.ts';
import { keepingApp, type ReplCommand, wrongUsage } from './command.ts';

export const loadCommand: ReplCommand = {
  name: 'load',
  group: 'session',
  arguments: 'ID',
  summary: 'continues another session: its id, a prefix, its name or @last',
  example: '/load @last',
  legal: 'always',
  async complete(context) {
    const sessions = await keepingApp(context).store.list();
    return ['@last', ...sessions.map(({ id }) => id)];
  },
  async run(context, argument) {
    const reference = argument.trim();
    if (reference === '') throw wrongUsage(loadCommand, 'Which session?');
    const app = keepingApp(context);
    const { session, ephemeral } = context.conversation;
    const id = await resolveId(app, reference, { current: session.id });
    if (id === session.id && !ephemeral) {
      context.front.print('That is this session.');
      return undefined;
    }
    const next = await openSession(app, { kind: 'resume', reference: id }, { stop: () => context.signal });
    const isKept = await leaveSession(context.app, context.conversation, { reason: 'exit' });
    context.conversation = next;
    if (!isKept) context.front.notice(`Nothing was said: session ${session.id} was not kept.`);
    if (ephemeral) context.front.notice('The session before this one was kept in memory only, and is gone.');
    introduce(context.front, next);
    return undefined;
  },
};
