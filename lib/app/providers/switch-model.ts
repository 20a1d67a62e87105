// `/model` and `/provider`: from here on another model answers. A fact of the session, so it is an event.
import { OllmError } from '../../errors/index.ts';
import { nearNames } from '../../providers/near-names.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { recordChoice, remembering } from '../sessions/open-session.ts';
import { chooseProvider, type ProviderWish } from './choose-provider.ts';

/**
 * From here on another model answers; the event `model.changed` says so.
 *
 * @example
 * conversation = await switchModel(app, conversation, { model: 'llama3.2' });
 * @throws OllmError PROVIDER_UNKNOWN, PROVIDER_UNREACHABLE, MODEL_NOT_FOUND; the conversation is then as it was
 */
export async function switchModel(app: App, conversation: Conversation, wish: ProviderWish): Promise<Conversation> {
  const provider = wish.provider ?? conversation.choice.provider.name;
  if (wish.model !== undefined) await requireModel(app, provider, wish.model);
  const choice = await chooseProvider(app, { provider, model: wish.model });
  const { session, store } = conversation;
  await recordChoice(session, choice);
  return { ...conversation, choice: remembering(choice, store, session.id), notices: [] };
}

async function requireModel(app: App, name: string, model: string): Promise<void> {
  const provider = await app.providers.load(name);
  const models = (await provider.models()).map((there) => there.name);
  // Ollama takes "llama3.2" for "llama3.2:latest".
  if (models.includes(model) || models.includes(`${model}:latest`)) return;
  throw new OllmError('MODEL_NOT_FOUND', `The provider ${name} has no model ${JSON.stringify(model)}.`, {
    hint:
      models.length === 0
        ? 'It has none at all yet.'
        : `It has: ${nearNames(models, model).join(', ')}${models.length > 20 ? ' and others' : ''}.`,
    data: { provider: name, model, models },
  });
}
