// The open conversation of a leader, with the app of its workspace and the follower of its journal.
import type { Conversation } from '../app/conversation.ts';
import { type Leaving, leaveSession } from '../app/sessions/open/leave-session.ts';
import { type OpenOptions, type OpenRequest, openSession } from '../app/sessions/open/open-session.ts';
import { isOllmError } from '../errors/index.ts';
import type { AppInUse, Following, LeaderOptions } from './types.ts';

export interface HeldConversation {
  conversation: Conversation;
  readonly using: AppInUse;
  /** Nothing is heard of it from then on. */
  stop(): void;
}

type Options = Pick<LeaderOptions, 'useApp' | 'hosting' | 'onSignal'>;

/** @throws OllmError SESSION_LOCKED, NOT_OWNER, and what opening throws */
export async function openHeld(request: OpenRequest, options: Options, how?: OpenOptions): Promise<HeldConversation> {
  const using = await options.useApp();
  try {
    const conversation = await openSession(using.app, request, how);
    return await hold(conversation, using, options);
  } catch (error) {
    using.end();
    throw ofLocked(error, options);
  }
}

/** Takes an open session over; closes it if no follower can be had. @throws OllmError SERVER_CLOSING, and the like */
export async function hold(
  conversation: Conversation,
  using: AppInUse,
  { hosting, onSignal }: Pick<Options, 'hosting' | 'onSignal'>,
): Promise<HeldConversation> {
  const { session } = conversation;
  let following: Following | undefined;
  try {
    following = await hosting?.follow(session.id);
  } catch (error) {
    await leaveSession(using.app, conversation, { reason: 'exit' });
    throw error;
  }
  const stopListening = session.writer.subscribe((events) => {
    onSignal({ type: 'appended', events: events.length });
    following?.hint();
  });
  const stop = (): void => {
    stopListening();
    following?.end();
  };
  return { conversation, using, stop };
}

/** False: nothing was in it, and it is gone. @throws OllmError what closing throws; it is closed nevertheless */
export async function closeHeld({ conversation, using, stop }: HeldConversation, leaving: Leaving): Promise<boolean> {
  try {
    return await leaveSession(using.app, conversation, leaving);
  } finally {
    stop();
    using.end();
  }
}

/** The error for this caller, if another process holds the journal. */
export function ofLocked(error: unknown, { hosting }: Pick<Options, 'hosting'>): unknown {
  return isOllmError(error, 'JOURNAL_LOCKED') && hosting !== undefined ? hosting.lockedError(error) : error;
}
