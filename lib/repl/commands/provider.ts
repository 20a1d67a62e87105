// /provider: says who answers and why, or switches.
import { switchModel } from '../../app/providers/switch-model.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { ReplCommand } from './command.ts';

export const providerCommand: ReplCommand = {
  name: 'provider',
  group: 'model',
  arguments: '[PROVIDER [MODEL]]',
  summary: 'says who answers and why, or switches',
  example: '/provider offline',
  legal: 'writable',
  complete: ({ app }) => app.providers.names,
  async run(context, argument) {
    const [provider = '', model] = argument.trim().split(/\s+/);
    if (provider !== '')
      context.conversation = await switchModel(context.app, context.conversation, { provider, model });
    const { choice } = context.conversation;
    context.front.print(`${sanitizeLine(choice.why)} Model: ${sanitizeLine(choice.model)}.`);
    context.front.print(`There are: ${context.app.providers.names.join(', ')}.`);
    return undefined;
  },
};
