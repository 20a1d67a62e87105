// `ollm diff A B`: where two sessions part. Shared events are counted, and the events of only one are returned. A fork
// numbers its events again, so events are compared by content, and facts about the files themselves are left out.
import { isOfFile } from '../../../events/of-file.ts';
import { eachEvent } from '../../../journal/reading/outcomes.ts';
import type { Batches, JournalReader, StoredEvent } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import { findSession } from '../../find/find-session.ts';
import type { FoundSession } from '../../find/found.ts';

export interface DiffSide {
  readonly id: string;
  /** The last event that both have, by its number in this session; undefined if they share none. */
  readonly lastShared: number | undefined;
  /** Events of its own. */
  readonly own: number;
  /** The first of them. */
  readonly events: readonly StoredEvent[];
}

interface SessionDiff {
  /** Events that both begin with. */
  readonly shared: number;
  readonly a: DiffSide;
  readonly b: DiffSide;
}

interface DiffRequest {
  /** How many events of each side to hand back. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws OllmError SESSION_* */
export async function diffSessions(
  app: App,
  first: string,
  second: string,
  { limit = 20, signal }: DiffRequest = {},
): Promise<SessionDiff> {
  const sessions = [await findSession(app, first), await findSession(app, second)] as const;
  const readers: JournalReader[] = [];
  const open = async (session: FoundSession): Promise<Conversation> => {
    const reader = await session.open();
    readers.push(reader);
    return conversationOf(reader.outcomes({ signal }));
  };
  try {
    const a = await open(sessions[0]);
    const b = await open(sessions[1]);
    let shared = 0;
    let last: [StoredEvent, StoredEvent] | undefined;
    let next = [await nextOf(a), await nextOf(b)] as const;
    while (next[0] && next[1] && saysTheSame(next[0], next[1])) {
      shared += 1;
      last = [next[0], next[1]];
      next = [await nextOf(a), await nextOf(b)];
    }
    return {
      shared,
      a: { id: sessions[0].id, lastShared: last?.[0].seq, ...(await remainder(next[0], a, limit)) },
      b: { id: sessions[1].id, lastShared: last?.[1].seq, ...(await remainder(next[1], b, limit)) },
    };
  } finally {
    for (const reader of readers) reader.close();
  }
}

type Conversation = AsyncGenerator<StoredEvent, undefined>;

/** They point at other events by number, which differs from file to file. */
const POINTING = new Set(['branch.moved', 'compaction.completed', 'compaction.undone']);

async function* conversationOf(outcomes: Batches): Conversation {
  for await (const event of eachEvent(outcomes)) if (!isOfFile(event.type)) yield event;
}

async function nextOf(conversation: Conversation): Promise<StoredEvent | undefined> {
  return (await conversation.next()).value;
}

function saysTheSame(a: StoredEvent, b: StoredEvent): boolean {
  if (a.type !== b.type || a.turn !== b.turn) return false;
  return POINTING.has(a.type) || contentOf(a) === contentOf(b);
}

/** The copy of an event also has the time of the original. */
function contentOf({ data: { at: _, ...content } }: StoredEvent): string {
  return JSON.stringify(content);
}

async function remainder(
  first: StoredEvent | undefined,
  rest: Conversation,
  limit: number,
): Promise<Pick<DiffSide, 'own' | 'events'>> {
  const events: StoredEvent[] = [];
  let own = 0;
  for (let event = first; event; event = await nextOf(rest)) {
    own += 1;
    if (events.length < limit) events.push(event);
  }
  return { own, events };
}
