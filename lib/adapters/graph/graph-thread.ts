// The thread of a graph in a journal: its checkpoints as records, and the messages of its state as a conversation that
// ollm lists, searches and replays. Where a graph goes on from an earlier checkpoint, or takes messages back, the
// conversation moves there, and the journal keeps the rest.
import { hash } from 'node:crypto';
import { OllmError } from '../../errors/index.ts';
import type { JournalStore, StoredEvent } from '../../journal/types.ts';
import { isObject, type Members } from '../../platform/json.ts';
import type { AskedModel } from '../forms/given-events.ts';
import { messageEvents, type StoredMessage, storedMessage } from '../forms/langchain-messages.ts';
import { membersOf } from '../forms/parts.ts';
import { stepItems } from '../forms/said-steps.ts';
import { type ItemForm, KeptList } from '../kept/kept-list.ts';
import { sessionIdOf } from '../kept/options.ts';
import {
  MESSAGE_FORM,
  recordEvent,
  type Serialized,
  type StoredValue,
  ThreadRecords,
  type WritesRecord,
} from './checkpoint-records.ts';

/** The name of this form in the first line of a journal. */
const GRAPH_FORM = 'langgraph';
const KEY_DIGITS = 24;
/** The types of messages, by the classes of which the serializer names them. */
const TYPES: Readonly<Record<string, string>> = {
  HumanMessage: 'human',
  AIMessage: 'ai',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  FunctionMessage: 'function',
  ChatMessage: 'generic',
};

/** A message of the state: as the serializer has it, under a key that follows from its content. */
interface KeyedMessage extends Members {
  readonly key: string;
  readonly message: unknown;
}

interface NewCheckpoint {
  readonly ns: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly checkpoint: Serialized;
  readonly metadata: Serialized;
  readonly values: ReadonlyMap<string, Serialized>;
  /** The channels that have changed since the parent. */
  readonly changed: ReadonlySet<string>;
}

interface ThreadPlace extends AskedModel {
  readonly store: JournalStore;
  readonly threadId: string;
  /** The channel whose messages are the conversation. */
  readonly channel: string;
}

export class GraphThread {
  readonly #place: ThreadPlace;
  readonly #records: ThreadRecords;
  readonly #list: KeptList<KeyedMessage>;
  readonly sessionId: string;
  #kept: { readonly form?: unknown; readonly id?: unknown } | undefined;

  constructor(place: ThreadPlace) {
    const { store, threadId, model, provider } = place;
    this.#place = place;
    this.sessionId = sessionIdOf(threadId);
    this.#records = new ThreadRecords((sha256) => store.readBlob(sha256));
    this.#list = new KeptList({
      ...{ store, id: this.sessionId, shares: true, form: graphMessages({ model, provider }) },
      created: { model, provider, kept: { form: GRAPH_FORM, id: threadId } },
      follower: {
        begin: () => this.#records.begin(),
        note: (event) => this.#note(event),
      },
    });
  }

  /** The records of the journal by now. @throws OllmError SESSION_EXISTS: the session is another conversation */
  async read(): Promise<ThreadRecords> {
    await this.#list.list(0);
    if (await this.#place.store.has(this.sessionId)) this.#requireOurs();
    return this.#records;
  }

  async put(checkpoint: NewCheckpoint): Promise<void> {
    const records = await this.read();
    const { ns, id, parent, metadata } = checkpoint;
    const said = ns === '' ? messagesIn(checkpoint.values.get(this.#place.channel)) : undefined;
    const values: Record<string, StoredValue> = {};
    for (const [channel, value] of checkpoint.values) {
      const keys = said !== undefined && channel === this.#place.channel ? said.map(({ key }) => key) : undefined;
      const stored = await storedValue(records, { checkpoint, channel, value, keys });
      if (stored !== undefined) values[channel] = stored;
    }
    const record = { kind: 'checkpoint', ns, id, parent, checkpoint: checkpoint.checkpoint, values, metadata } as const;
    const also = [await recordEvent(record, this.#put)];
    // A state without messages, or with a part of them, says nothing of the conversation.
    if (said === undefined) return this.#list.append([], also);
    await this.#list.change((there) => {
      const differs = said.findIndex(({ key }, index) => there[index]?.key !== key);
      const from = differs < 0 ? said.length : differs;
      return { from, items: said.slice(from), also };
    });
  }

  async putWrites(writes: Omit<WritesRecord, 'kind'>): Promise<void> {
    await this.read();
    await this.#list.append([], [await recordEvent({ kind: 'writes', ...writes }, this.#put)]);
  }

  close(): Promise<void> {
    return this.#list.close();
  }

  readonly #put = (bytes: Uint8Array): Promise<string> => this.#place.store.putBlob(bytes, this.sessionId);

  #note(event: StoredEvent): void {
    if (event.type === 'session.created') this.#kept = membersOf(event.data.kept);
    this.#records.note(event);
  }

  #requireOurs(): void {
    if (this.#kept?.form === GRAPH_FORM && this.#kept.id === this.#place.threadId) return;
    throw new OllmError('SESSION_EXISTS', `Session ${this.sessionId} is not a thread of a graph.`, {
      hint: 'Choose another thread_id, or another directory for the threads.',
      data: { id: this.sessionId },
    });
  }
}

/** The thread that a session keeps; undefined for any other session. */
export function threadOf(created: object): string | undefined {
  const { form, id } = membersOf((created as { readonly kept?: unknown }).kept);
  return form === GRAPH_FORM && typeof id === 'string' ? id : undefined;
}

function graphMessages(asked: AskedModel): ItemForm<KeyedMessage> {
  return {
    name: MESSAGE_FORM,
    events: async ({ message }, put) => {
      const stored = storedOf(message);
      return stored === undefined ? [] : messageEvents(stored, asked, put);
    },
    // A state has none of the messages that ollm adds: without a key, the next checkpoint continues before them.
    items: (said, toolNames) =>
      stepItems(said, toolNames, (step) => ({ key: '', message: storedMessage(step) }), { resultsApart: true }),
  };
}

/** Undefined where the value is not a list of messages. */
function messagesIn(value: Serialized | undefined): readonly KeyedMessage[] | undefined {
  if (value === undefined || !('json' in value) || !Array.isArray(value.json)) return undefined;
  if (!value.json.every((message) => storedOf(message) !== undefined)) return undefined;
  return value.json.map((message) => ({ key: keyOf(message), message }));
}

function storedOf(message: unknown): StoredMessage | undefined {
  const { lc, type, id, kwargs } = membersOf(message);
  const name = Array.isArray(id) ? String(id.at(-1)).replace(/Chunk$/, '') : '';
  if (lc !== 1 || type !== 'constructor' || !Object.hasOwn(TYPES, name) || !isObject(kwargs)) return undefined;
  return { type: TYPES[name]!, data: kwargs };
}

function keyOf(message: unknown): string {
  return hash('sha256', JSON.stringify(message)).slice(0, KEY_DIGITS);
}

interface ToStore {
  readonly checkpoint: NewCheckpoint;
  readonly channel: string;
  readonly value: Serialized;
  /** Keys of messages that the journal has as such. */
  readonly keys: readonly string[] | undefined;
}

/** Undefined for a value that has not changed since the parent, where there is not one. */
async function storedValue(records: ThreadRecords, { checkpoint, channel, value, keys }: ToStore) {
  const { ns, parent, changed } = checkpoint;
  const before = parent === undefined ? undefined : records.checkpoint(ns, parent);
  const has = before?.channels.includes(channel) ?? false;
  if (parent === undefined && !changed.has(channel)) return undefined;
  const earlier = before !== undefined && has ? await records.valueOf(before, channel) : undefined;
  if (parent !== undefined && earlier !== undefined && isSame(earlier, value)) return { from: parent };
  if (!('json' in value) || !Array.isArray(value.json)) return value;
  const list: readonly unknown[] = value.json;
  const old = earlier !== undefined && 'json' in earlier && Array.isArray(earlier.json) ? earlier.json : [];
  const differs = list.findIndex((element, index) => index >= old.length || !isSameJson(element, old[index]));
  const take = differs < 0 ? list.length : differs;
  const elements = list.slice(take).map((json, index) => {
    const key = keys?.[take + index];
    return key === undefined ? { json } : { key };
  });
  return take === 0 ? { elements } : { after: parent, take, elements };
}

function isSame(one: Serialized, other: Serialized): boolean {
  if ('json' in one) return 'json' in other && isSameJson(one.json, other.json);
  return !('json' in other) && one.type === other.type && Buffer.compare(one.bytes, other.bytes) === 0;
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
