// /title: what the session is called in lists; by default the beginning of its first message.
import { titleSession } from '../../app/sessions/title-session.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { ReplCommand } from './command.ts';

export const titleCommand: ReplCommand = {
  name: 'title',
  group: 'session',
  arguments: '[TEXT]',
  summary: 'shows or sets the title of the session',
  example: '/title Plans for the garden',
  legal: 'always',
  async run({ app, front, conversation }, argument) {
    const title = argument.trim();
    if (title !== '') await titleSession(app, conversation, title);
    front.print(sanitizeLine(conversation.session.states.summary.title ?? 'No title yet.'));
    return undefined;
  },
};
