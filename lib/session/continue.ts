// A session that continues a full one: a new journal that begins with the content of the model's next request. The old
// journal keeps everything, and is named as the parent.
import { everyEvent } from '../journal/reading/outcomes.ts';
import type { JournalStore, SessionEvent } from '../journal/types.ts';
import { countedEntries, currentCheckpoint, currentSummary } from '../projections/timeline.ts';
import type { ViewState } from '../projections/view.ts';
import { copyEvents } from './copy-events.ts';
import type { CreatedData } from './create.ts';
import { createdAgain, firstEvent } from './fork.ts';
import type { Session } from './session.ts';

/** What holds for a session as a whole, also where little of the conversation comes along. */
const SETTINGS = /^(session\.titled|context\..*|tools\.changed|mode\.changed|setting\.changed)$/;

/**
 * Messages and calls that a session holds, with those that came along from the one before; system messages do not
 * count.
 */
export async function countItems(store: JournalStore, id: string): Promise<number> {
  let items = 0;
  using reader = store.openReader(id);
  await everyEvent(reader.outcomes(), ({ type, data }) => {
    if (type === 'tool.requested' || (type === 'message.added' && data.role !== 'system')) items += 1;
  });
  return items;
}

/**
 * Makes the session `id` of what counts in this one. It is closed; open it to continue.
 * @throws OllmError SESSION_EXISTS, JOURNAL_FULL, JOURNAL_READ_ONLY
 */
export async function continueSession(
  store: JournalStore,
  session: Session,
  { id, created }: { readonly id: string; readonly created: Partial<CreatedData> },
): Promise<void> {
  const { view } = session.states;
  const { seq, xxh64 } = session.writer.head;
  using reader = store.openReader(session.id);
  const { provider, model, contextWindow } = view;
  const { project: _, ...again } = createdAgain(await firstEvent(reader));
  const continued = {
    ...again,
    ...{ provider, model, ...(contextWindow === undefined ? {} : { contextWindow }) },
    ...created,
    parent: { sessionId: session.id, seq, xxh64 },
  };
  await store.createFilled(id, {
    created: continued,
    async fill(writer) {
      const without = notCounting(view);
      for await (const batch of copyEvents(reader.outcomes(), { without })) {
        await writer.append(batch.map(({ turn: _, ...event }) => event));
      }
    },
  });
}

function notCounting({ timeline }: ViewState): (event: SessionEvent) => boolean {
  const counting = new Set<number>();
  for (const checkpoint of [currentSummary(timeline), currentCheckpoint(timeline)]) {
    if (checkpoint) counting.add(checkpoint.seq);
  }
  for (const item of countedEntries(timeline)) {
    counting.add(item.seq);
    if (item.kind === 'call' && item.result) counting.add(item.result.seq);
  }
  return ({ seq, type }) => !counting.has(seq) && !SETTINGS.test(type);
}
