// The past of a session for the tool history_read: messages and results of tools, from the newest stretch of the
// journal, by words or by place, without undone turns. Reads it for each question.
import type { JournalStore, StoredEvent } from '../../journal/types.ts';
import type { HistoryItem, HistoryPort } from '../../tools/builtin/history-read.ts';
import { newestEvents } from '../read-journal.ts';
import { textOf } from './past-messages.ts';

/** Bytes of the journal that are looked at, from its end. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Characters of one item that are searched. */
const MAX_SEARCHED_CHARACTERS = 64 * 1024;
const MAX_BLOB_BYTES = 32 * 1024 * 1024;

export function historyPort(store: Pick<JournalStore, 'openReader' | 'readBlob'>, id: string): HistoryPort {
  return {
    search: (question, limit) => searchBackwards(store, id, { question, limit }),
    async read(from, to) {
      const items: HistoryItem[] = [];
      for await (const event of eventsBackwards(store, id, from)) {
        const item = event.seq <= to ? itemOf(event) : undefined;
        if (item !== undefined) items.push(item);
      }
      return items.reverse();
    },
  };
}

/** An output is found by the call that it came from too, and by what went wrong, wherever that is in it. */
async function searchBackwards(
  store: Pick<JournalStore, 'openReader' | 'readBlob'>,
  id: string,
  { question, limit }: { readonly question: string; readonly limit: number },
): Promise<HistoryItem[]> {
  const [{ rankTexts }, { aboutOutput, outputSlices }] = await Promise.all([
    import('../../retrieval/rank-texts.ts'),
    import('../../retrieval/output-slices.ts'),
  ]);
  const items: HistoryItem[] = [];
  const texts: string[] = [];
  const add = (item: HistoryItem, about = '') => {
    items.push(item);
    texts.push(`${about}\n${item.text.slice(0, MAX_SEARCHED_CHARACTERS)}`);
  };
  const waiting = new Map<unknown, { readonly item: HistoryItem; readonly hasFailure: boolean }[]>();
  for await (const event of eventsBackwards(store, id)) {
    const { type, data, seq } = event;
    if (type === 'tool.requested') {
      const asked = { tool: String(data.name), about: JSON.stringify(data.args) };
      for (const { item, hasFailure } of waiting.get(data.callId) ?? [])
        add(item, aboutOutput({ ...asked, hasFailure }));
      waiting.delete(data.callId);
    }
    const item = itemOf(event);
    if (item === undefined) continue;
    const whole = await wholeOutput(store, data);
    if (whole !== undefined) {
      const slices = outputSlices(whole).map(({ text, hasFailure }) => ({
        item: { seq, role: 'tool' as const, text },
        hasFailure,
      }));
      waiting.set(data.callId, slices);
    } else if (type === 'tool.finished') waiting.set(data.callId, [{ item, hasFailure: data.status === 'error' }]);
    else add(item);
  }
  for (const { item } of [...waiting.values()].flat()) add(item);
  return (await rankTexts(question, texts)).slice(0, limit).map((index) => items[index]!);
}

/** All of an output that was cut, where it was kept and is text. */
async function wholeOutput(
  store: Pick<JournalStore, 'readBlob'>,
  { blob, encoding }: StoredEvent['data'],
): Promise<string | undefined> {
  if (typeof blob !== 'string' || encoding === 'base64') return undefined;
  const bytes = (await store.readBlob(blob))?.subarray(0, MAX_BLOB_BYTES);
  return bytes === undefined || bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
}

/** Newest first, down to `from`, without undone events. */
async function* eventsBackwards(
  store: Pick<JournalStore, 'openReader'>,
  id: string,
  from = 0,
): AsyncGenerator<StoredEvent, void, void> {
  let newest = Number.POSITIVE_INFINITY;
  for await (const event of newestEvents(store, id, { maxBytes: MAX_BYTES })) {
    if (event.seq < from) break;
    if (event.seq > newest) continue;
    if (event.type === 'branch.moved') newest = Number(event.data.head);
    yield event;
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
