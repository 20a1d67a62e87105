// The open conversation of a leader, with the app of its workspace and the follower of its journal.
import type { Conversation } from '../app/conversation.ts';
import type { AnswererWish } from '../app/providers/choose-provider.ts';
import { leaveSession } from '../app/sessions/open/leave-session.ts';
import { openSession } from '../app/sessions/open/open-session.ts';
import { isOllmError } from '../errors/index.ts';
import type { AppInUse, Following, LeaderOptions } from './types.ts';

export interface HeldConversation {
  conversation: Conversation;
  readonly using: AppInUse;
  /** Nothing is heard of it from then on. */
  stop(): void;
}

type Options = Pick<LeaderOptions, 'useApp' | 'follow' | 'lockedError' | 'onSignal'>;

/** @throws OllmError SESSION_LOCKED, NOT_OWNER, and what opening throws */
export async function openHeld(
  id: string,
  { provider, model }: AnswererWish,
  options: Options,
): Promise<HeldConversation> {
  const using = await options.useApp();
  try {
    const conversation = await openSession(using.app, { kind: 'resume', reference: id, provider, model });
    return await hold(conversation, using, options);
  } catch (error) {
    using.end();
    throw isOllmError(error, 'JOURNAL_LOCKED') ? options.lockedError(error) : error;
  }
}

/** Takes an open session over; closes it if no follower can be had. @throws OllmError SERVER_CLOSING, and the like */
export async function hold(
  conversation: Conversation,
  using: AppInUse,
  { follow, onSignal }: Pick<Options, 'follow' | 'onSignal'>,
): Promise<HeldConversation> {
  const { session } = conversation;
  let following: Following;
  try {
    following = await follow(session.id);
  } catch (error) {
    await leaveSession(using.app, conversation, { reason: 'exit' });
    throw error;
  }
  const stopListening = session.writer.subscribe((events) => {
    onSignal({ type: 'appended', events: events.length });
    following.hint();
  });
  const stop = (): void => {
    stopListening();
    following.end();
  };
  return { conversation, using, stop };
}

/** Never rejects: the next opening says what happened. */
export async function closeHeld({ conversation, using, stop }: HeldConversation): Promise<void> {
  const { app } = using;
  try {
    await leaveSession(app, conversation, { reason: 'exit' });
  } catch (error) {
    const fields = { service: 'lead', operation: 'close', sessionId: conversation.session.id, error };
    app.log.error({ ...fields, action: 'Its next opening says what happened.' }, 'A session could not be closed');
  }
  stop();
  using.end();
}
