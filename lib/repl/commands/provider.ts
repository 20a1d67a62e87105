// /provider: shows the provider and the reason for it, or switches.
import { switchModel } from '../../app/sessions/switch-model.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { Provider } from '../../providers/provider.ts';
import type { ReplCommand } from './command.ts';

export const providerCommand: ReplCommand = {
  name: 'provider',
  group: 'model',
  arguments: '[PROVIDER [MODEL]]',
  summary: 'shows the provider and the reason for it, or switches',
  example: '/provider offline',
  legal: 'writable',
  async complete({ app, signal }, argument) {
    const [name = '', model] = argument.trimStart().split(/\s+/);
    if (model === undefined) return app.providers.names;
    return app.providers.names.includes(name) ? modelNames(await app.providers.load(name), signal) : [];
  },
  async run(context, argument) {
    const [provider = '', model] = argument.trim().split(/\s+/);
    if (provider !== '')
      context.conversation = await switchModel(context.app, context.conversation, { provider, model }, context);
    const { choice } = context.conversation;
    context.front.print(`${sanitizeLine(choice.why)} Model: ${sanitizeLine(choice.model)}.`);
    context.front.print(`There are: ${context.app.providers.names.join(', ')}.`);
    return undefined;
  },
};

async function modelNames(provider: Provider, signal: AbortSignal): Promise<readonly string[]> {
  return (await provider.models({ signal })).map(({ name }) => name);
}
