// /reasoning: what the model thought before its last answer, and whether that is shown while it thinks.
import { sanitize } from '../../display/sanitize.ts';
import { type ReplCommand, wrongUsage } from './command.ts';

export const reasoningCommand: ReplCommand = {
  name: 'reasoning',
  group: 'conversation',
  arguments: '[on | off]',
  summary: 'shows the reasoning before the last answer; on always shows it',
  details: 'While it is off, one line says that the model is thinking. Some providers do not send their reasoning',
  example: '/reasoning on',
  legal: 'always',
  complete: () => ['on', 'off'],
  async run({ front, conversation }, argument) {
    const wanted = argument.trim();
    if (wanted === 'on' || wanted === 'off') {
      front.switches.reasoning = wanted === 'on';
      front.print(wanted === 'on' ? 'Thinking is shown as it arrives.' : 'Thinking is one line.');
      return undefined;
    }
    if (wanted !== '') throw wrongUsage(reasoningCommand, 'That is not how /reasoning is used.');
    const { findReasoning } = await import('../../app/tools/tool-outputs.ts');
    const text = await findReasoning(conversation.store, conversation.session.id);
    if (text === undefined) front.print('The last answer came without any thinking that could be shown.');
    else front.print(...sanitize(text.trim()).split('\n'));
    return undefined;
  },
};
