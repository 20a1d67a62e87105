// `/model` and `/provider`: from here on another model answers. A fact of the session, so it is an event.
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { chooseProvider, type Interruptible, type ProviderWish, requireModel } from '../providers/choose-provider.ts';
import { recordChoice, remembering } from './conversation-in.ts';

/**
 * From here on another model answers; the event `model.changed` says so.
 *
 * @example
 * conversation = await switchModel(app, conversation, { model: 'llama3.2' });
 * @throws OllmError PROVIDER_UNKNOWN, PROVIDER_UNREACHABLE, MODEL_NOT_FOUND; the conversation is then as it was
 */
export async function switchModel(
  app: App,
  conversation: Conversation,
  wish: ProviderWish,
  { signal }: Interruptible = {},
): Promise<Conversation> {
  const provider = wish.provider ?? conversation.choice.provider.name;
  if (wish.model !== undefined) await requireModel(await app.providers.load(provider), wish.model, { signal });
  const choice = await chooseProvider(app, { provider, model: wish.model }, { signal });
  const { session, store } = conversation;
  await recordChoice(session, choice);
  return { ...conversation, choice: remembering(choice, store, session.id), notices: [] };
}
