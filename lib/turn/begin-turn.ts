// The beginning of a turn, in one batch that is on the device before a request goes out: the turn, the user's message,
// and the events that belong before them.
import type { NewOllmEvent } from '../events/index.ts';
import { BLOB_THRESHOLD_BYTES } from '../journal/format.ts';
import type { Part, TokenCount } from '../messages/index.ts';
import { closeOpenEnds, closingEvents } from '../session/close-open-ends.ts';
import { storeText } from '../session/long-text.ts';
import { titleFrom } from '../session/title.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { createScrubber, type Scrubber } from './redact-event.ts';
import type { Turn } from './turn.ts';
import type { TurnInput } from './turn-input.ts';

export type { TurnInput } from './turn-input.ts';

export async function beginTurn(turn: Turn, input: TurnInput): Promise<void> {
  const { session, dependencies } = turn;
  if (dependencies.contextWindow !== undefined) await session.reach(dependencies.contextWindow);
  const { openEnds, summary } = session.states;
  const number = openEnds.turns + 1;
  const scrub = createScrubber(dependencies.redactor);
  const { excerpt, parts, tokens } = await messageOf(turn, input, scrub);
  // A session that continues one of another program has had its first prompt already.
  const first = titleFrom(summary.firstPrompt?.excerpt ?? '') ?? titleFrom(excerpt);
  const title = summary.title === undefined ? first : undefined;
  const events: NewOllmEvent[] = [
    // The end of the turn before this one could not be written, for want of space.
    ...(await closingEvents(closeOpenEnds(openEnds), (bytes) => dependencies.store.putBlob(bytes, session.id))),
    ...expiredContext(turn),
    ...(await renewed(turn)),
    { type: 'turn.started', turn: number, data: { input: excerpt } },
    ...scrub.findings('user message', number),
    {
      type: 'message.added',
      turn: number,
      data: { role: 'user', parts, tokens, trusted: true, author: input.author, promptId: input.promptId },
    },
    ...(title === undefined
      ? []
      : [{ type: 'session.titled', turn: number, data: { title, by: 'derived' } } as const satisfies NewOllmEvent]),
  ];
  await session.append(events, { durability: 'disk' });
  turn.number = number;
  turn.form = session.states.view.form ?? {};
  turn.question = excerpt;
  turn.show({ type: 'start', turn: number });
}

interface Message {
  readonly excerpt: string;
  readonly parts: Part[];
  readonly tokens: TokenCount;
}

export async function messageOf({ session, dependencies }: Turn, input: TurnInput, scrub: Scrubber): Promise<Message> {
  const text = scrub.text(input.text);
  if (input.parts !== undefined) {
    const parts = scrub.parts(input.parts);
    return { excerpt: text, parts, tokens: input.tokens ?? { count: 0, method: 'unknown' } };
  }
  const { excerpt, parts } = await storeText(text, {
    put: (bytes) => dependencies.store.putBlob(bytes, session.id),
    fileName: 'message.txt',
  });
  return { excerpt, parts: [...parts], tokens: countTokens(text, dependencies) };
}

/** A tokenizer would take seconds for a text of many megabytes; for one that fits no window an estimate is as good. */
function countTokens(text: string, { counter }: Turn['dependencies']): TokenCount {
  if (text.length <= BLOB_THRESHOLD_BYTES) return counter.count(text);
  return { count: estimateTokens(text), method: 'estimated' };
}

/** A state of the project that cannot be read hinders no turn. */
async function renewed({ session, dependencies, cancelled }: Turn): Promise<readonly NewOllmEvent[]> {
  try {
    return (await dependencies.renewedContext?.(session.states.context.entries, cancelled)) ?? [];
  } catch (error) {
    const fields = { service: 'context', operation: 'renew', sessionId: session.id, error };
    dependencies.log.warn({ ...fields, action: 'The entries stay as they are.' }, 'The context could not be renewed');
    return [];
  }
}

function expiredContext({ session, dependencies }: Turn): NewOllmEvent[] {
  const now = dependencies.clock.now();
  return session.states.context.entries
    .filter(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) <= now)
    .map(({ key }) => ({ type: 'context.removed', data: { key, reason: 'expired' } }));
}
