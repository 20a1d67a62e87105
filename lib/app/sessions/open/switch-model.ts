// `/model` and `/provider`: from here on another model answers, or the same one thinks more or less. A fact of the
// session, so it is an event.
import { checkArguments } from '../../../errors/arguments.ts';
import type { App } from '../../app.ts';
import type { Conversation, ProviderChoice } from '../../conversation.ts';
import {
  type AnswererWish,
  chooseProvider,
  type Interruptible,
  OFFLINE,
  requireModel,
} from '../../providers/choose-provider.ts';
import { keptThinking, requireThinking } from '../../providers/thinking.ts';
import { recordChoice, remembering } from './conversation-in.ts';
import { instructed } from './open-session.ts';

/**
 * From here on another model answers, or thinks as wished; the event `model.changed` says so. How much the model before
 * was to think counts for the new one too, if that can be set so. A model that comes after the search is given what
 * instructs, as at the opening; `notices` says what of it is not used.
 *
 * @example
 * conversation = await switchModel(app, conversation, { model: 'llama3.2' });
 * @throws OllmError PROVIDER_UNKNOWN, PROVIDER_UNREACHABLE, MODEL_NOT_FOUND, THINKING_MODE_NOT_SUPPORTED; the
 * conversation is then as it was
 */
export async function switchModel(
  app: App,
  conversation: Conversation,
  wish: AnswererWish,
  options: Interruptible = {},
): Promise<Conversation> {
  const table = { app: 'App', conversation: 'Conversation', wish: 'object', options: 'object' } as const;
  checkArguments('switchModel', table, [app, conversation, wish, options]);
  const { signal } = options;
  const { session } = conversation;
  const choice = await choiceOf(app, conversation, wish, { signal });
  const isFromSearch = conversation.choice.provider.name === OFFLINE && choice.provider.name !== OFFLINE;
  // Before the model is asked anything: texts in the journal were not checked for the search.
  const notices = isFromSearch ? await instructed(app, conversation) : [];
  await recordChoice(session, choice);
  return { ...conversation, choice, notices };
}

/** What would answer as wished. Nothing is switched. @throws OllmError as `switchModel` does */
export async function choiceOf(
  app: App,
  { session, store, choice: former }: Conversation,
  wish: AnswererWish,
  { signal }: Interruptible = {},
): Promise<ProviderChoice> {
  const chosen = await choiceFor(app, former, wish, { signal });
  if (wish.thinking !== undefined) await requireThinking(chosen, wish.thinking, { signal });
  const thinking = wish.thinking ?? (await keptThinking(chosen, former.thinking, { signal }));
  return remembering({ ...chosen, thinking }, store, session.id);
}

/** Keeps the model, if the wish is about something else. */
async function choiceFor(
  app: App,
  former: ProviderChoice,
  wish: AnswererWish,
  options: Interruptible,
): Promise<ProviderChoice> {
  if (wish.provider === undefined && wish.model === undefined) return former;
  const provider = wish.provider ?? former.provider.name;
  if (wish.model !== undefined) await requireModel(await app.providers.load(provider), wish.model, options);
  return chooseProvider(app, { provider, model: wish.model }, options);
}
