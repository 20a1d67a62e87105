// The past of a session for the tool history_read: what was said and what tools brought back, from the newest stretch
// of the journal, by words or by place, without what was undone. Reads it for each question.
import type { JournalStore, StoredEvent } from '../../journal/types.ts';
import type { HistoryItem, HistoryPort } from '../../tools/builtin/history-read.ts';
import { newestEvents } from '../read-journal.ts';
import { textOf } from './past-messages.ts';

/** Bytes of the journal that are looked at, from its end. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Of one item that is searched. */
const MAX_SEARCHED_CHARACTERS = 64 * 1024;

export function historyPort(store: Pick<JournalStore, 'openReader'>, id: string): HistoryPort {
  return {
    async search(question, limit) {
      const [{ readQuery }, { Ranking }] = await Promise.all([
        import('../../providers/offline/words.ts'),
        import('../../providers/offline/rank.ts'),
      ]);
      const ranking = new Ranking<HistoryItem>(readQuery(question));
      for await (const item of itemsBackwards(store, id))
        ranking.add(item, item.text.slice(0, MAX_SEARCHED_CHARACTERS));
      return ranking
        .best()
        .slice(0, limit)
        .map(({ item }) => item);
    },
    async read(from, to) {
      const items: HistoryItem[] = [];
      for await (const item of itemsBackwards(store, id, from)) if (item.seq <= to) items.push(item);
      return items.reverse();
    },
  };
}

/** Newest first, down to `from`. What was undone is not part of the conversation. */
async function* itemsBackwards(
  store: Pick<JournalStore, 'openReader'>,
  id: string,
  from = 0,
): AsyncGenerator<HistoryItem, void, void> {
  let newest = Number.POSITIVE_INFINITY;
  for await (const event of newestEvents(store, id, { maxBytes: MAX_BYTES })) {
    if (event.seq < from) break;
    if (event.seq > newest) continue;
    if (event.type === 'branch.moved') newest = Number(event.data.head);
    const item = itemOf(event);
    if (item !== undefined) yield item;
  }
}

function itemOf({ seq, type, data }: StoredEvent): HistoryItem | undefined {
  if (type === 'message.added') {
    const text = textOf(data.parts);
    return text.trim() === '' ? undefined : { seq, role: data.role as HistoryItem['role'], text };
  }
  if (type !== 'tool.finished') return undefined;
  const text = (data.result as { llmContent?: unknown } | undefined)?.llmContent;
  return typeof text === 'string' && text !== '' ? { seq, role: 'tool', text } : undefined;
}
