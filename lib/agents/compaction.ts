// A compaction as an event: the replacement of everything before it, or of everything before a place.
import type { EventData } from '../events/index.ts';
import type { ReplacingMessage } from '../messages/index.ts';
import type { Given } from './given.ts';
import { saysSomething } from './members.ts';

type Completed = EventData<'compaction.completed'>;
type AnyGiven = Given<{ readonly turn: number }>;

/** About this many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;

export interface Compaction {
  /** What takes the place: messages where there are any, else the summary. */
  readonly messages?: readonly ReplacingMessage[] | undefined;
  readonly summary?: string | undefined;
  /** Undefined where they are not known: as many as after it, and those are estimated. */
  readonly tokensBefore?: number | undefined;
  readonly tokensAfter?: number | undefined;
  readonly by?: Completed['by'] | undefined;
}

/** Everything before is covered. Nothing comes of it where nothing was before, or takes the place. */
export function addCompaction(compaction: Compaction, given: AnyGiven): boolean {
  const { seq } = given;
  return add(compaction, { covers: { from: 1, to: seq - 1 }, keptFrom: seq }, given);
}

/** Adds a compaction of everything before the event `kept`, and after the part that an earlier compaction covers. */
export function addCompactionBefore(
  kept: number | undefined,
  compaction: Compaction,
  given: Given<{ readonly turn: number; keptFrom: number }>,
): void {
  const { state, seq } = given;
  const keptFrom = Math.max(state.keptFrom, Math.min(seq, kept ?? seq));
  const to = Math.max(1, keptFrom - 1);
  const isAdded = add(compaction, { covers: { from: Math.min(state.keptFrom, to), to }, keptFrom }, given);
  if (isAdded) state.keptFrom = keptFrom;
}

function add(
  { messages = [], summary = '', tokensBefore, tokensAfter: known, by = 'auto' }: Compaction,
  place: Pick<Completed, 'covers' | 'keptFrom'>,
  given: AnyGiven,
): boolean {
  if (given.seq < 2 || (messages.length === 0 && !saysSomething(summary))) return false;
  const characters = messages.length === 0 ? summary.length : JSON.stringify(messages).length;
  const tokensAfter = known ?? Math.ceil(characters / CHARACTERS_PER_TOKEN);
  given.add({
    type: 'compaction.completed',
    data: {
      strategy: 'summarize',
      ...place,
      ...(messages.length === 0 ? { summary } : { messages: [...messages] }),
      tokensBefore: tokensBefore ?? tokensAfter,
      tokensAfter,
      by,
    },
  });
  return true;
}

export function addFailedCompaction(message: string, given: AnyGiven): void {
  const error = { code: 'PROVIDER_FAILED', message };
  given.add({ type: 'compaction.failed', data: { strategy: 'summarize', error } });
}
