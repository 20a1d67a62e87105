// Context entries as the user adds and removes them: checked, without secrets, and stored as events, so that they are there
// again after a resume.
import { entryProblem, entryWarning } from '../../context/check-entry.ts';
import { OllmError } from '../../errors/index.ts';
import type { EventData } from '../../events/index.ts';
import type { ContextSource } from '../../messages/index.ts';
import type { ContextEntry } from '../../projections/context.ts';
import { estimatingCounter } from '../../tokens/estimate.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';

export interface NewContextEntry {
  readonly key: string;
  readonly content: string;
  /** Higher comes first; equal ones in the order they came. Default: 50. */
  readonly priority?: number | undefined;
  /** After this long it leaves by itself, with an event. */
  readonly ttlMs?: number | undefined;
  /** Default: `user`. */
  readonly source?: ContextSource | undefined;
  /** Whether it may instruct. Default: only what the user adds. */
  readonly trusted?: boolean | undefined;
}

export interface AddedContext {
  /** There was one under this key. */
  readonly replaced: boolean;
  /** What is worth saying, such as what a large entry costs. */
  readonly warning: string | undefined;
}

const DEFAULT_PRIORITY = 50;

/** @throws OllmError USAGE: it is none; and what an append throws */
export async function addContext(app: App, { session }: Conversation, entry: NewContextEntry): Promise<AddedContext> {
  const { key, priority = DEFAULT_PRIORITY, source = 'user', ttlMs, trusted = source === 'user' } = entry;
  const problem = entryProblem(entry);
  if (problem !== undefined) throw new OllmError('USAGE', problem);
  const redact = await app.redactor();
  const content = redact(entry.content).text;
  const tokens = estimatingCounter.count(content);
  const expiry = ttlMs === undefined ? {} : { expiresAt: new Date(app.clock.now() + ttlMs).toISOString() };
  const known = session.states.context.entries.find((each) => each.key === key);
  const data = { key, content, priority, source, ...expiry, tokens, trusted };
  // An entry that is there already, word for word, is not stored again.
  if (known === undefined || !isSame(known, data)) await session.append({ type: 'context.added', data });
  return { replaced: known !== undefined, warning: entryWarning({ key, tokens: tokens.count }) };
}

function isSame(known: ContextEntry, added: EventData<'context.added'>): boolean {
  const { content, priority, source, trusted, expiresAt } = added;
  const isKept = known.expiresAt === undefined && expiresAt === undefined;
  return (
    isKept &&
    known.content === content &&
    known.priority === priority &&
    known.source === source &&
    known.trusted === trusted
  );
}

/** Whether there was one under this key. @throws what an append throws */
export async function removeContext({ session }: Conversation, key: string): Promise<boolean> {
  if (!session.states.context.entries.some((entry) => entry.key === key)) return false;
  await session.append({ type: 'context.removed', data: { key, reason: 'user' } });
  return true;
}
