// What opening a session has in common, however it is opened: the settings for it, the conversation in it (its store,
// and its provider with this session to search in), and the record of which model answers.
import type { JournalStore } from '../../../journal/types.ts';
import type { SessionOptions } from '../../../session/create.ts';
import type { Session } from '../../../session/session.ts';
import { storeOfSession } from '../../../stores/sealing/sealing-store.ts';
import type { ToolMode } from '../../../tools/modes.ts';
import type { App } from '../../app.ts';
import { type Conversation, conversationState, type ProviderChoice } from '../../conversation.ts';
import { isRemembering } from '../../providers/provider-loaders.ts';
import { pastMessages } from '../../tools/past-messages.ts';

/** The settings that apply to every opened session. */
export function sessionOptions({ config, log }: Pick<App, 'config' | 'log'>): SessionOptions {
  const { session, loopDetection } = config.services;
  const { maxTurns, repeatThreshold } = loopDetection;
  return { log, policy: session.durability, loop: { maxTurns, repeatThreshold } };
}

/** `place`: the store in which the session is. */
export function conversationIn(
  place: JournalStore,
  session: Session,
  { choice, mode, ...rest }: Omit<Conversation, 'session' | 'store' | 'state'> & { readonly mode?: ToolMode },
): Conversation {
  const store = storeOfSession(place, session.id);
  return { ...rest, session, store, choice: remembering(choice, store, session.id), state: conversationState(mode) };
}

/** A provider that searches is handed this session to search in. */
export function remembering(choice: ProviderChoice, store: JournalStore, id: string): ProviderChoice {
  const { provider } = choice;
  return isRemembering(provider)
    ? { ...choice, provider: provider.withHistory(() => pastMessages(store, id)) }
    : choice;
}

/** Stored only where something changed. */
export async function recordChoice(session: Session, choice: ProviderChoice): Promise<void> {
  const { view } = session.states;
  const { provider, model, contextWindow, thinking } = choice;
  const isSame =
    view.provider === provider.name &&
    view.model === model &&
    view.contextWindow === contextWindow &&
    view.thinking === thinking;
  if (isSame) return;
  const data = { provider: provider.name, model, contextWindow, thinking };
  await session.append({ type: 'model.changed', data });
}
