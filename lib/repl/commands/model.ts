// /model: lists what the provider can run, or switches.
import { switchModel } from '../../app/sessions/switch-model.ts';
import { shortCount } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { ReplCommand } from './command.ts';

export const modelCommand: ReplCommand = {
  name: 'model',
  group: 'model',
  arguments: '[MODEL]',
  summary: 'lists the models, or switches to one',
  example: '/model llama3.2',
  legal: 'writable',
  async complete({ conversation, signal }) {
    return (await conversation.choice.provider.models({ signal })).map(({ name }) => name);
  },
  async run(context, argument) {
    const model = argument.trim();
    if (model !== '') {
      const { provider } = context.conversation.choice;
      const wish = { provider: provider.name, model };
      context.conversation = await switchModel(context.app, context.conversation, wish, context);
      context.front.print(`From now on ${sanitizeLine(context.conversation.choice.model)} answers.`);
      return undefined;
    }
    const { choice } = context.conversation;
    for (const { name, contextWindow } of await choice.provider.models({ signal: context.signal })) {
      const window = contextWindow === undefined ? '' : `, ${shortCount(contextWindow)} tokens`;
      context.front.print(`${name === choice.model ? '*' : ' '} ${sanitizeLine(name)}${window}`);
    }
    return undefined;
  },
};
