// Context entries as the user adds and removes them: checked, without secrets, and stored as events, so that they are
// there again after a resume.
import { isSameEntry, type NewEntry, newEntry } from '../../context/new-entry.ts';
import { OllmError } from '../../errors/index.ts';
import { estimatingCounter } from '../../tokens/estimate.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';

export type NewContextEntry = NewEntry;

interface AddedContext {
  /** There was one under this key. */
  readonly replaced: boolean;
  /** A warning for the user, such as the cost of a large entry. */
  readonly warning: string | undefined;
}

/** @throws OllmError USAGE: it cannot be added; and what an append throws */
export async function addContext(app: App, { session }: Conversation, entry: NewContextEntry): Promise<AddedContext> {
  const redact = await app.redactor();
  const { count } = estimatingCounter;
  const made = newEntry(entry, { redact: (text) => redact(text).text, count, now: app.clock.now() });
  if (made.event === undefined) throw new OllmError('USAGE', made.problem);
  const known = session.states.context.entries.find(({ key }) => key === entry.key);
  if (known === undefined || !isSameEntry(known, made.event.data)) await session.append(made.event);
  return { replaced: known !== undefined, warning: made.warning };
}

/** Whether there was one under this key. @throws what an append throws */
export async function removeContext({ session }: Conversation, key: string): Promise<boolean> {
  if (!session.states.context.entries.some((entry) => entry.key === key)) return false;
  await session.append({ type: 'context.removed', data: { key, reason: 'user' } });
  return true;
}
