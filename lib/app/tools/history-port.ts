// The past of a session for the tool history_read: messages and results of tools, from the newest stretch of the
// journal, by words or by place, without undone turns. Reads it for each question.
import { decodeEvent } from '../../events/decode.ts';
import type { EventData } from '../../events/index.ts';
import type { JournalStore, StoredEvent } from '../../journal/types.ts';
import { addEvent, type ConversationCall, emptyConversation } from '../../projections/conversation.ts';
import type { HistoryItem, HistoryPort } from '../../tools/builtin/history-read.ts';
import { newestEvents } from '../journals/read-journal.ts';
import { textOf } from './past-messages.ts';

/** Bytes of the journal that are looked at, from its end. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Characters of one item that are searched. */
const MAX_SEARCHED_CHARACTERS = 64 * 1024;
const MAX_BLOB_BYTES = 32 * 1024 * 1024;

export function historyPort(store: Pick<JournalStore, 'openReader' | 'readBlob'>, id: string): HistoryPort {
  return {
    search: (question, limit) => searchPast(store, id, { question, limit }),
    async read(from, to) {
      const items = pastOf(await Array.fromAsync(eventsBackwards(store, id, from)));
      return items.flatMap(({ item }) => (item.seq <= to ? [item] : []));
    },
  };
}

interface PastItem {
  readonly item: HistoryItem;
  /** The call that an output came from. */
  readonly call?: ConversationCall;
}

/** An output is found by the call that it came from too, and by what went wrong, wherever that is in it. */
async function searchPast(
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
  for (const { item, call } of pastOf(await Array.fromAsync(eventsBackwards(store, id))).reverse()) {
    if (call === undefined) {
      add(item);
      continue;
    }
    const whole = await wholeOutput(store, call.end!);
    const slices =
      whole === undefined ? [{ text: item.text, hasFailure: call.end!.status === 'error' }] : outputSlices(whole);
    const asked = call.request && { tool: call.request.name, about: JSON.stringify(call.request.args) };
    for (const { text, hasFailure } of slices) add({ ...item, text }, asked && aboutOutput({ ...asked, hasFailure }));
  }
  return (await rankTexts(question, texts)).slice(0, limit).map((index) => items[index]!);
}

/** The texts of these events, oldest first. `newestFirst`: the events. */
function pastOf(newestFirst: readonly StoredEvent[]): PastItem[] {
  const conversation = emptyConversation();
  for (const stored of newestFirst.toReversed()) {
    const decoded = decodeEvent(stored);
    if (decoded.kind === 'known') addEvent(conversation, decoded.event);
  }
  const all = conversation.items.flatMap((item): PastItem[] => {
    if (item.kind === 'call' && item.end !== undefined) {
      return [{ item: { seq: item.end.seq, role: 'tool', text: item.end.result.llmContent }, call: item }];
    }
    if (item.kind !== 'message') return [];
    return item.pieces.map(({ seq, parts }) => ({ item: { seq, role: item.data.role, text: textOf(parts) } }));
  });
  return all.filter(({ item }) => item.text.trim() !== '').sort((one, other) => one.item.seq - other.item.seq);
}

/** All of an output that was cut, where it was kept and is text. */
async function wholeOutput(
  store: Pick<JournalStore, 'readBlob'>,
  { blob, encoding }: EventData<'tool.finished'>,
): Promise<string | undefined> {
  if (blob === undefined || encoding === 'base64') return undefined;
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
