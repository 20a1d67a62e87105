// `retention.maxItems`: a session that holds as many messages and calls as it may is continued by another one, `notes`
// by `notes-2`, at the next turn. The new one begins with at most half as many, and a summary of the others. Nothing is
// taken away from the old one; resuming it leads to the same new one.
import { isOllmError, OllmError, unless } from '../../../errors/index.ts';
import type { JournalStore } from '../../../journal/types.ts';
import { continueSession, countItems } from '../../../session/continue.ts';
import { firstEvent } from '../../../session/fork.ts';
import { openSession } from '../../../session/open.ts';
import type { Session } from '../../../session/session.ts';
import { VERSION } from '../../../version.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { readJournal } from '../../journals/read-journal.ts';
import { begunHere } from '../../repository/project-identity.ts';
import { conversationIn, sessionOptions } from './conversation-in.ts';
import { setAside } from './set-aside.ts';

/** No name is tried for longer. */
const MOST_CONTINUATIONS = 10_000;
const LONGEST_STEM = 58;

/**
 * The conversation to ask in next: the same one, or the one that continues it, with a notice; the other is closed then.
 *
 * @example
 * conversation = await continueWhenFull(app, conversation);
 * @throws OllmError JOURNAL_FULL, JOURNAL_READ_ONLY, JOURNAL_LOCKED if another process continues with it already
 */
export async function continueWhenFull(app: App, conversation: Conversation): Promise<Conversation> {
  const { maxItems } = app.config.retention;
  // The session of another agent has no next one.
  if (conversation.agent !== undefined) return conversation;
  let current = conversation;
  while (maxItems !== undefined && (await isFull(current, maxItems))) {
    const { next, isNew } = await goOn(app, current, maxItems);
    // A new session has room for a turn, even if its newest step by itself is as large as allowed.
    if (isNew) return next;
    current = next;
  }
  return current;
}

async function isFull({ session, store }: Conversation, maxItems: number): Promise<boolean> {
  // Each of them is an event: most sessions need no counting.
  return session.writer.head.seq >= maxItems && (await countItems(store, session.id)) >= maxItems;
}

async function goOn(
  app: App,
  conversation: Conversation,
  maxItems: number,
): Promise<{ readonly next: Conversation; readonly isNew: boolean }> {
  const { session, store } = conversation;
  const { id, isThere } = await continuationOf(store, session.id);
  if (!isThere) {
    const created = { ollm: VERSION, ...begunHere(app) };
    await session.exclusively(async () => {
      await setAside(session, Math.floor(maxItems / 2));
      await continueSession(store, session, { id, created });
    });
  }
  const next = await openSession(store, id, sessionOptions(app));
  await closeQuietly(app, session);
  const provider = await app.providers.load(conversation.choice.provider.name);
  const choice = { ...conversation.choice, provider };
  const notice = `Session ${session.id} holds ${maxItems} messages and calls or more, which is all that retention.maxItems allows: the conversation continues in ${id}. Nothing was taken away from ${session.id}.`;
  const notices = [...conversation.notices, notice, ...next.report.notices];
  return {
    next: conversationIn(store, next, { ...conversation, mode: conversation.state.mode, choice, notices }),
    isNew: !isThere,
  };
}

/** The first name that is free, or belongs to a session that continues this one. */
async function continuationOf(
  store: JournalStore,
  id: string,
): Promise<{ readonly id: string; readonly isThere: boolean }> {
  const [, stem = id, digits = '1'] = /^(.+)-([1-9][0-9]{0,3})$/.exec(id) ?? [];
  const isContinuation = stem !== id && (await store.has(stem));
  const base = (isContinuation ? stem : id).slice(0, LONGEST_STEM);
  for (let number = isContinuation ? Number(digits) + 1 : 2; number <= MOST_CONTINUATIONS; number += 1) {
    const name = `${base}-${number}`;
    if (!(await store.has(name))) return { id: name, isThere: false };
    if ((await parentOf(store, name)) === id) return { id: name, isThere: true };
  }
  throw new OllmError('SESSION_EXISTS', `No name is left for a session that continues ${id}.`, {
    hint: 'Begin a new session under another name.',
    data: { id },
  });
}

async function parentOf(store: JournalStore, id: string): Promise<string | undefined> {
  // A session that cannot be read does not continue this one.
  const first = await unless(isOllmError, () => readJournal(store, id, firstEvent));
  return (first?.data.parent as { readonly sessionId?: string } | undefined)?.sessionId;
}

async function closeQuietly(app: App, session: Session): Promise<void> {
  try {
    await session.close('exit');
  } catch (error) {
    const fields = { service: 'session', operation: 'close', sessionId: session.id, error };
    app.log.error({ ...fields, action: 'Nothing is lost: its next opening says what happened.' }, 'Closing failed');
  }
}
