// The commands about who answers: models and providers.
import type { AnswererWish } from '../../app/providers/choose-provider.ts';
import { switchModel } from '../../app/sessions/open/switch-model.ts';
import { shortCount } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { Provider } from '../../providers/provider.ts';
import type { CommandContext, ReplCommand } from './command.ts';

export const modelCommand: ReplCommand = {
  name: 'model',
  aliases: ['models'],
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
      await switchTo(context, wish);
      context.front.print(`From now on ${sanitizeLine(context.conversation.choice.model)} answers.`);
      return;
    }
    const { choice } = context.conversation;
    for (const { name, contextWindow } of await choice.provider.models({ signal: context.signal })) {
      const window = contextWindow === undefined ? '' : `, ${shortCount(contextWindow)} tokens`;
      context.front.print(`${name === choice.model ? '*' : ' '} ${sanitizeLine(name)}${window}`);
    }
  },
};

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
    if (provider !== '') await switchTo(context, { provider, model });
    const { choice } = context.conversation;
    context.front.print(`${sanitizeLine(choice.why)} Model: ${sanitizeLine(choice.model)}.`);
    context.front.print(`Providers: ${context.app.providers.names.join(', ')}.`);
  },
};

async function switchTo(context: CommandContext, wish: AnswererWish): Promise<void> {
  const { notices, ...conversation } = await switchModel(context.app, context.conversation, wish, context);
  context.conversation = { ...conversation, notices: [] };
  for (const notice of notices) context.front.notice(notice);
}

async function modelNames(provider: Provider, signal: AbortSignal): Promise<readonly string[]> {
  return (await provider.models({ signal })).map(({ name }) => name);
}
