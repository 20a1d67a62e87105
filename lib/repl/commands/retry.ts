// /retry: asks the last question again; the earlier answer is undone, not removed.
import { retryTurn } from '../../app/sessions/undo-turn.ts';
import { OllmError } from '../../errors/index.ts';
import type { ReplCommand } from './command.ts';

export const retryCommand: ReplCommand = {
  name: 'retry',
  group: 'conversation',
  arguments: '',
  summary: 'asks the last question again',
  details:
    'The model does not see its earlier answer; the journal keeps it. Switch with /model first to ask another one',
  example: '/retry',
  legal: 'after-a-turn',
  async run({ app, conversation }) {
    const input = await retryTurn(app, conversation);
    if (!input) throw new OllmError('USAGE', 'There is no turn to ask again.');
    return { type: 'ask', input };
  },
};
