// `/model` and `/provider`: from here on another model answers. A fact of the session, so it is an event.
import type { App } from './app.ts';
import type { ProviderWish } from './choose-provider.ts';
import type { Conversation } from './conversation.ts';

/** @throws OllmError PROVIDER_UNKNOWN, PROVIDER_UNREACHABLE, MODEL_NOT_FOUND; the conversation is then as it was */
export async function switchModel(_app: App, _conversation: Conversation, _wish: ProviderWish): Promise<Conversation> {
  throw new TypeError('not there yet');
}
