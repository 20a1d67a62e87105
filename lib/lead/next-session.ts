// A session that is full goes on in another one, and so does its queue: first it is stored there, then it is taken out
// here, so that a server that is killed in between loses no prompt. A prompt that is in both by then is asked once.
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import { readJournal } from '../app/journals/read-journal.ts';
import { continueWhenFull } from '../app/sessions/open/continue-session.ts';
import { sessionOptions } from '../app/sessions/open/conversation-in.ts';
import { leaveSession } from '../app/sessions/open/leave-session.ts';
import { eachEvent } from '../journal/reading/outcomes.ts';
import type { WaitingPrompt } from '../projections/queue.ts';
import { openSession } from '../session/open.ts';
import { type HeldConversation, hold } from './held.ts';
import { TurnNote } from './note.ts';
import type { LeaderOptions } from './types.ts';

interface NextSession {
  readonly held: HeldConversation;
  readonly note: TurnNote | undefined;
  /** Takes the prompts out of the full session, which has them no longer to ask. */
  leaveFull(): Promise<void>;
}

/** Undefined where the session is not full. @throws OllmError as `continueWhenFull` and appending do */
export async function nextWhenFull(full: HeldConversation, options: LeaderOptions): Promise<NextSession | undefined> {
  const { app } = full.using;
  const { session } = full.conversation;
  const next = await continueWhenFull(app, { ...full.conversation, notices: [] });
  if (next.session === session) return undefined;
  const { prompts } = session.states.queue;
  const note = options.hosting && new TurnNote(options.app, next.session.id);
  try {
    await keepIn(app, next, { before: session.id, prompts });
    await note?.store();
  } catch (error) {
    await leaveSession(app, next, { reason: 'exit' });
    throw error;
  }
  const removed = prompts.map(({ promptId }) => promptId);
  return {
    held: await hold(next, full.using, options),
    note,
    leaveFull: () => leaveQueue(app, session.id, removed),
  };
}

/** Copies the queued prompts of a full session into the one that continues it, except those that it has already. */
async function keepIn(
  app: App,
  { session }: Conversation,
  { before, prompts }: { readonly before: string; readonly prompts: readonly WaitingPrompt[] },
): Promise<void> {
  if (prompts.length === 0) return;
  const there = await promptsBetween(app, before, session.id);
  const added = prompts.filter(({ promptId }) => !there.has(promptId));
  if (added.length > 0) await session.append({ type: 'queue.changed', data: { added } }, { durability: 'disk' });
}

/** Ids of all prompts that came to the sessions after a full one, up to the last that continues it. */
async function promptsBetween(app: App, before: string, last: string): Promise<ReadonlySet<unknown>> {
  const found = new Set<unknown>();
  let id: string | undefined = last;
  while (id !== undefined && id !== before) {
    id = await readJournal(app.store, id, async (reader) => {
      let parent: string | undefined;
      for await (const { type, data } of eachEvent(reader.outcomes())) {
        if (type === 'session.created')
          parent = (data.parent as { readonly sessionId?: string } | undefined)?.sessionId;
        if (type === 'message.added') found.add(data.promptId);
        if (type !== 'queue.changed') continue;
        for (const { promptId } of (data.added ?? []) as readonly WaitingPrompt[]) found.add(promptId);
      }
      return parent;
    });
  }
  return found;
}

/** Takes prompts out of a session that is closed: they wait in another one now. */
export async function leaveQueue(app: App, id: string, removed: readonly string[]): Promise<void> {
  if (removed.length === 0) return;
  const former = await openSession(app.store, id, sessionOptions(app));
  await former.append({ type: 'queue.changed', data: { removed: [...removed] } });
  await former.close('exit');
}
