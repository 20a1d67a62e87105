// Makes the conversation of an open session: its store, and its provider with this session to search in. Records which
// model answers, where that changed.
import type { JournalStore } from '../../journal/types.ts';
import type { Session } from '../../session/session.ts';
import { storeOfSession } from '../../stores/sealing/sealing-store.ts';
import { type Conversation, conversationState, type ProviderChoice } from '../conversation.ts';
import { isRemembering } from '../providers/provider-loaders.ts';
import { pastMessages } from '../tools/past-messages.ts';

/** `place`: the store in which the session is. */
export function conversationIn(
  place: JournalStore,
  session: Session,
  { choice, ...rest }: Omit<Conversation, 'session' | 'store' | 'state'>,
): Conversation {
  const store = storeOfSession(place, session.id);
  return { ...rest, session, store, choice: remembering(choice, store, session.id), state: conversationState() };
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
  const { provider, model, contextWindow } = choice;
  const isSame = view.provider === provider.name && view.model === model && view.contextWindow === contextWindow;
  if (isSame) return;
  const data = { provider: provider.name, model, ...(contextWindow === undefined ? {} : { contextWindow }) };
  await session.append({ type: 'model.changed', data });
}
