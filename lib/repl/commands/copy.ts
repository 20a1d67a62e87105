// /copy: the last answer goes to the clipboard of the terminal, as the model wrote it, in Markdown.
import { countOf } from '../../display/quantities.ts';
import { sanitize } from '../../display/sanitize.ts';
import { OllmError } from '../../errors/index.ts';
import { countedEntries } from '../../projections/timeline.ts';
import { textOf } from '../earlier-messages.ts';
import type { ReplCommand } from './command.ts';

export const copyCommand: ReplCommand = {
  name: 'copy',
  group: 'conversation',
  arguments: '',
  summary: 'copies the last answer to the clipboard of the terminal',
  details:
    'Over SSH too, where the terminal knows OSC 52, and in tmux. /export writes the whole conversation to a file',
  example: '/copy',
  legal: 'always',
  async run({ front, conversation }) {
    const answer = countedEntries(conversation.session.states.view.timeline)
      .flatMap((item) => (item.kind === 'message' && item.role === 'assistant' ? [textOf(item.parts)] : []))
      .findLast((text) => text.trim() !== '');
    if (answer === undefined) throw new OllmError('USAGE', 'There is no answer to copy yet.');
    if (front.copy === undefined) {
      throw new OllmError('USAGE', '/copy needs a terminal.', { hint: 'At a pipe, the answer is in the output.' });
    }
    const text = sanitize(answer);
    await front.copy(text);
    front.notice(`Copied: ${countOf(text.split('\n').length, 'line')}. A terminal without OSC 52 leaves it out.`);
  },
};
