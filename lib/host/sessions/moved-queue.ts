// The queue of a session that is full goes on in the one that continues it: first it is stored there, then it is taken
// out here, so that a server which is killed in between loses no prompt; what is in both by then is asked once.
import type { App } from '../../app/app.ts';
import type { Conversation } from '../../app/conversation.ts';
import { readJournal } from '../../app/read-journal.ts';
import { sessionOptions } from '../../app/sessions/open/conversation-in.ts';
import type { WaitingPrompt } from '../../projections/queue.ts';
import { openSession } from '../../session/open.ts';

/** Copies the queued prompts of a full session into the one that continues it, except those that it has already. */
export async function keepIn(
  app: App,
  { session }: Conversation,
  { before, prompts }: { readonly before: string; readonly prompts: readonly WaitingPrompt[] },
): Promise<void> {
  if (prompts.length === 0) return;
  const there = await promptsBetween(app, before, session.id);
  const added = prompts.filter(({ promptId }) => !there.has(promptId));
  if (added.length > 0) await session.append({ type: 'queue.changed', data: { added } }, { durability: 'disk' });
}

/** Ids of all prompts that came to the sessions behind a full one, up to the last that continues it. */
async function promptsBetween(app: App, before: string, last: string): Promise<ReadonlySet<unknown>> {
  const found = new Set<unknown>();
  let id: string | undefined = last;
  while (id !== undefined && id !== before) {
    id = await readJournal(app.store, id, async (reader) => {
      let parent: string | undefined;
      for await (const batch of reader.outcomes()) {
        for (const outcome of batch) {
          if (outcome.kind !== 'event') continue;
          const { type, data } = outcome.event;
          if (type === 'session.created')
            parent = (data.parent as { readonly sessionId?: string } | undefined)?.sessionId;
          if (type === 'message.added') found.add(data.promptId);
          if (type !== 'queue.changed') continue;
          for (const { promptId } of (data.added ?? []) as readonly WaitingPrompt[]) found.add(promptId);
        }
      }
      return parent;
    });
  }
  return found;
}

/** What waited in a session that was full waits in the one that continues it. */
export async function leaveQueue(app: App, id: string, removed: readonly string[]): Promise<void> {
  if (removed.length === 0) return;
  const former = await openSession(app.store, id, sessionOptions(app));
  await former.append({ type: 'queue.changed', data: { removed: [...removed] } });
  await former.close('exit');
}
