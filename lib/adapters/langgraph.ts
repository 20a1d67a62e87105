// A saver of checkpoints for LangGraph that keeps each thread in a journal. The package is not needed here: the program
// hands in the class that its savers extend. A thread is a session: the messages of its state are a conversation, and
// each checkpoint with its writes is a record.
import { checkArguments } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import type { JournalStore } from '../journal/types.ts';
import type { Serialized, ThreadRecords } from './graph/checkpoint-records.ts';
import { GraphThread, threadOf } from './graph/graph-thread.ts';
import { type AdapterOptions, OPTIONS, sessionIdOf, storeOf } from './kept/options.ts';

/** What of `@langchain/langgraph` the saver is made with. */
export interface LangGraphCore<Saver> {
  readonly BaseCheckpointSaver: abstract new (...args: never[]) => Saver;
}

export interface LangGraphOptions extends Omit<AdapterOptions, 'name'> {
  /** The channel of the state whose messages are the conversation. Default: messages. */
  readonly messages?: string | undefined;
}

/** Members that a saver has in addition to those of the class. */
export interface KeptCheckpoints extends AsyncDisposable {
  /** The id of the session that keeps a thread. */
  sessionIdOf(threadId: string): string;
  /** Releases all threads for other writers. Without it, that happens a moment after the last checkpoint. */
  close(): Promise<void>;
}

/** As many threads are continued without being read again. */
const MAX_THREADS = 64;
/** Where the writes of these channels are, among those of a task. */
const SPECIAL: Readonly<Record<string, number>> = {
  __error__: -1,
  __scheduled__: -2,
  __interrupt__: -3,
  __resume__: -4,
};
const TASKS = '__pregel_tasks';
const FORMAT_WITH_TASKS = 4;

interface Config {
  readonly configurable?: {
    readonly thread_id?: unknown;
    readonly checkpoint_ns?: string;
    readonly checkpoint_id?: string;
    readonly thread_ts?: string;
  };
}

interface Checkpoint {
  v: number;
  id: string;
  channel_values: Record<string, unknown>;
  channel_versions: Record<string, number | string>;
}

interface Tuple {
  config: Config;
  checkpoint: Checkpoint;
  metadata: unknown;
  pendingWrites: [string, string, unknown][];
  parentConfig?: Config;
}

/** The members of the class that are used here. */
interface SaverBase {
  readonly serde: {
    dumpsTyped(value: unknown): Promise<[string, Uint8Array]>;
    loadsTyped(type: string, data: Uint8Array | string): Promise<unknown>;
  };
  getNextVersion(current: undefined): number | string;
}

/**
 * @example
 * await using checkpointer = langgraphSaver({ BaseCheckpointSaver }, { store: openFileStore('/home/me/sessions') });
 * const graph = builder.compile({ checkpointer });
 * await graph.invoke({ messages: 'When does the ferry leave?' }, { configurable: { thread_id: 'support-42' } });
 * @throws OllmError its methods USAGE (no thread), SESSION_EXISTS, JOURNAL_LOCKED, JOURNAL_FULL and others
 */
export function langgraphSaver<Saver extends object>(
  core: LangGraphCore<Saver>,
  options: LangGraphOptions,
): Saver & KeptCheckpoints {
  checkArguments('langgraphSaver', { core: { BaseCheckpointSaver: 'class' }, options: OPTIONS }, [core, options]);
  const { BaseCheckpointSaver } = core;
  const store = storeOf(options);
  const { model = '', provider = '', messages: channel = 'messages' } = options;
  const threads = new Map<string, GraphThread>();

  class JournalSaver extends (BaseCheckpointSaver as unknown as new () => SaverBase) implements KeptCheckpoints {
    async getTuple(config: Config): Promise<Tuple | undefined> {
      const { threadId, ns, id } = placeIn(config);
      if (threadId === undefined) return undefined;
      const thread = await threadAt(threadId);
      const tuple = await this.#tuple(await thread.read(), threadId, ns, id);
      return tuple === undefined || id === undefined ? tuple : { ...tuple, config };
    }

    async *list(
      config: Config,
      options: { limit?: number; before?: Config; filter?: Record<string, unknown> } = {},
    ): AsyncGenerator<Tuple> {
      const { threadId, id } = placeIn(config);
      const before = options.before && placeIn(options.before).id;
      const wanted = Object.entries(options.filter ?? {});
      let left = options.limit ?? Number.POSITIVE_INFINITY;
      for (const each of threadId === undefined ? await threadIds(store) : [threadId]) {
        const records = await (await threadAt(each)).read();
        for (const checkpoint of records.checkpoints(config.configurable?.checkpoint_ns)) {
          if (left <= 0) return;
          if ((id !== undefined && checkpoint.id !== id) || (before !== undefined && checkpoint.id >= before)) continue;
          const tuple = await this.#tuple(records, each, checkpoint.ns, checkpoint.id);
          const metadata = (tuple?.metadata ?? {}) as Record<string, unknown>;
          if (tuple === undefined || wanted.some(([name, value]) => metadata[name] !== value)) continue;
          left -= 1;
          yield tuple;
        }
      }
    }

    async put(
      config: Config,
      { channel_values, ...checkpoint }: Checkpoint,
      metadata: unknown,
      newVersions: object = checkpoint.channel_versions,
    ): Promise<Config> {
      const { threadId, ns, id: parent } = requireThread(config);
      const thread = await threadAt(threadId);
      const values = new Map<string, Serialized>();
      for (const [name, value] of Object.entries(channel_values)) values.set(name, await this.#serialized(value));
      await thread.put({
        ...{ ns, id: checkpoint.id, parent, values, changed: new Set(Object.keys(newVersions)) },
        ...{ checkpoint: await this.#serialized(checkpoint), metadata: await this.#serialized(metadata) },
      });
      return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
    }

    async putWrites(
      config: Config,
      writes: readonly (readonly [string, unknown])[],
      task: string,
      path = '',
    ): Promise<void> {
      const { threadId, ns, id: checkpoint } = requireThread(config);
      if (checkpoint === undefined) throw missing('checkpoint_id');
      const stored: { channel: string; index: number; value: Serialized }[] = [];
      for (const [index, [name, value]] of writes.entries()) {
        stored.push({ channel: name, index: SPECIAL[name] ?? index, value: await this.#serialized(value) });
      }
      await (await threadAt(threadId)).putWrites({ ns, checkpoint, task, path, writes: stored });
    }

    /** Moves the session of the thread to the trash. */
    async deleteThread(threadId: string): Promise<void> {
      const thread = await threadAt(threadId);
      await thread.read();
      await thread.close();
      threads.delete(threadId);
      if (await store.has(thread.sessionId)) await store.trash(thread.sessionId);
    }

    sessionIdOf(threadId: string): string {
      return sessionIdOf(threadId);
    }

    async close(): Promise<void> {
      const open = [...threads.values()];
      threads.clear();
      await Promise.all(open.map((thread) => thread.close()));
    }

    [Symbol.asyncDispose](): Promise<void> {
      return this.close();
    }

    async #tuple(records: ThreadRecords, thread_id: string, checkpoint_ns: string, wanted?: string) {
      const found = records.checkpoint(checkpoint_ns, wanted);
      if (found === undefined) return undefined;
      const { id: checkpoint_id, parent } = found;
      const record = await found.load();
      const channel_values: Record<string, unknown> = {};
      for (const name of found.channels) {
        const value = await records.valueOf(found, name);
        if (value !== undefined) channel_values[name] = await this.#restored(value);
      }
      const rest = (await this.#restored(record.checkpoint)) as Omit<Checkpoint, 'channel_values'>;
      const checkpoint: Checkpoint = { ...rest, channel_values };
      const pendingWrites: [string, string, unknown][] = [];
      for (const { task, channel: name, value } of records.writes(checkpoint_ns, checkpoint_id)) {
        pendingWrites.push([task, name, await this.#restored(await value())]);
      }
      if (checkpoint.v < FORMAT_WITH_TASKS && parent !== undefined) {
        await this.#addTasks(checkpoint, records, checkpoint_ns, parent);
      }
      const place = { thread_id, checkpoint_ns };
      const tuple: Tuple = {
        config: { configurable: { ...place, checkpoint_id } },
        ...{ checkpoint, metadata: await this.#restored(record.metadata), pendingWrites },
      };
      if (parent !== undefined) tuple.parentConfig = { configurable: { ...place, checkpoint_id: parent } };
      return tuple;
    }

    /** Checkpoints of older formats have their tasks among the writes of their parent. */
    async #addTasks(checkpoint: Checkpoint, records: ThreadRecords, ns: string, parent: string): Promise<void> {
      const sent = records.writes(ns, parent).filter((write) => write.channel === TASKS);
      const tasks: unknown[] = [];
      for (const { value } of sent) tasks.push(await this.#restored(await value()));
      checkpoint.channel_values[TASKS] = tasks;
      const versions = Object.values(checkpoint.channel_versions);
      checkpoint.channel_versions[TASKS] =
        versions.length === 0
          ? this.getNextVersion(undefined)
          : versions.reduce((one, other) => (compareVersions(one, other) >= 0 ? one : other));
    }

    async #serialized(value: unknown): Promise<Serialized> {
      const [type, bytes] = await this.serde.dumpsTyped(value);
      return type === 'json' ? { json: JSON.parse(new TextDecoder().decode(bytes)) } : { type, bytes };
    }

    #restored(value: Serialized): Promise<unknown> {
      if ('bytes' in value) return this.serde.loadsTyped(value.type, value.bytes);
      return this.serde.loadsTyped('json', new TextEncoder().encode(JSON.stringify(value.json)));
    }
  }
  return new JournalSaver() as unknown as Saver & KeptCheckpoints;

  async function threadAt(threadId: string): Promise<GraphThread> {
    const thread = threads.get(threadId) ?? new GraphThread({ store, threadId, channel, model, provider });
    threads.delete(threadId);
    threads.set(threadId, thread);
    for (const [oldest, idle] of threads) {
      if (threads.size <= MAX_THREADS) break;
      threads.delete(oldest);
      await idle.close();
    }
    return thread;
  }
}

function placeIn({ configurable = {} }: Config): {
  readonly threadId: string | undefined;
  readonly ns: string;
  readonly id: string | undefined;
} {
  const { thread_id, checkpoint_ns = '', checkpoint_id, thread_ts } = configurable;
  const threadId = thread_id === undefined || thread_id === null ? undefined : String(thread_id);
  return { threadId, ns: checkpoint_ns, id: checkpoint_id || thread_ts || undefined };
}

function requireThread(config: Config) {
  const { threadId, ...place } = placeIn(config);
  if (threadId === undefined || threadId === '') throw missing('thread_id');
  return { threadId, ...place };
}

function missing(member: string): OllmError {
  return new OllmError('USAGE', `The configuration of the run has no ${member}.`, {
    hint: `Nothing was written. Pass { configurable: { ${member}: '…' } }.`,
  });
}

async function threadIds(store: JournalStore): Promise<string[]> {
  const found: string[] = [];
  for (const id of await store.ids()) {
    using reader = store.openReader(id);
    const threadId = threadOf((await reader.first())?.data ?? {});
    if (threadId !== undefined) found.push(threadId);
  }
  return found;
}

function compareVersions(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other));
}
