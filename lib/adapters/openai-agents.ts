// The session of the OpenAI Agents SDK, kept in a journal: `run(agent, input, { session })`. The package is not needed
// here: its interfaces are met by their members, those for changes that are made once too.
import { isDeepStrictEqual } from 'node:util';
import { checkArguments, checkAsyncCalls } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import { systemIds } from '../platform/ids.ts';
import type { Members } from '../platform/json.ts';
import { idOfName } from '../session/identify.ts';
import { openaiAgentsItems } from './forms/openai-agents-items.ts';
import { KeptList } from './kept/kept-list.ts';
import { copyItem } from './kept/native.ts';
import { type AdapterOptions, OPTIONS, storeOf } from './kept/options.ts';

/** A change of the history as the runner asks for it. `Item` is its `AgentInputItem`. */
export interface HistoryTransaction<Item> {
  readonly operationId: string;
  readonly transaction:
    | { readonly type: 'append_items'; readonly items: Item[] }
    | { readonly type: 'replace_suffix'; readonly expectedSuffix: Item[]; readonly replacement: Item[] };
}

export interface HistoryRewrite<Item> {
  readonly mutations: readonly {
    readonly type: 'replace_function_call';
    readonly callId: string;
    readonly replacement: Item;
  }[];
}

/** The interface `Session` of the SDK, with its optional abilities. */
export interface OpenAIAgentsSession<Item> extends AsyncDisposable {
  getSessionId(): Promise<string>;
  /** The newest `limit` items, oldest first. */
  getItems(limit?: number): Promise<Item[]>;
  addItems(items: Item[]): Promise<void>;
  /** An undo: the item stays in the journal. */
  popItem(): Promise<Item | undefined>;
  /** A reset: the journal goes to archive/. */
  clearSession(): Promise<void>;
  /** A checkpoint covers the earlier items: they stay in the journal. */
  replaceHistoryWithCompaction(items: Item[]): Promise<void>;
  applyHistoryMutations(rewrite: HistoryRewrite<Item>): Promise<void>;
  applyHistoryTransaction(args: HistoryTransaction<Item>): Promise<void>;
  /** Releases the session for other writers. */
  close(): Promise<void>;
}

/**
 * The session of this name, which is made with its first item. Without a name it is a new one. It has one writer at a
 * time, from the first change to `close`.
 *
 * @example
 * await using session = openaiAgentsSession({ store: openFileStore('/home/me/sessions'), name: 'support-42' });
 * await run(agent, 'Hello', { session });
 * @throws OllmError SESSION_ID_INVALID; its methods JOURNAL_LOCKED, JOURNAL_FULL, EVENT_INVALID and others
 */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of an item, which is not named here
export function openaiAgentsSession<Item extends object = any>(options: AdapterOptions): OpenAIAgentsSession<Item> {
  checkArguments('openaiAgentsSession', { options: OPTIONS }, [options]);
  const { id, title } =
    options.name === undefined ? { id: systemIds.uuid(), title: undefined } : idOfName(options.name);
  const { model = '', provider = '' } = options;
  const list = new KeptList<Members>({
    store: storeOf(options),
    ...{ id, form: openaiAgentsItems, created: { provider, model, title } },
  });
  const close = () => list.close();

  const session: OpenAIAgentsSession<Item> = {
    getSessionId: async () => id,
    getItems: async (limit) => (await list.list(limit)) as Item[],
    addItems: (items) => list.append(items as readonly Members[]),
    popItem: async () => (await list.pop()) as Item | undefined,
    clearSession: () => list.clear(),
    replaceHistoryWithCompaction: (items) => list.compact(items as readonly Members[]),
    async applyHistoryMutations({ mutations }) {
      for (const { callId, replacement } of mutations) {
        await list.change((there) => {
          const isIt = ({ type, callId: id }: Members) => type === 'function_call' && id === callId;
          const from = there.findIndex(isIt);
          if (from < 0) return { from: there.length, items: [] };
          return { from, items: [replacement as Members, ...there.slice(from).filter((item) => !isIt(item))] };
        });
      }
    },
    async applyHistoryTransaction({ operationId, transaction }) {
      if (typeof operationId !== 'string' || operationId.trim() === '') throw invalid('an operation needs an id.');
      const operation = { id: operationId, content: transaction };
      if (transaction.type === 'append_items') {
        const items = transaction.items as readonly Members[];
        await list.change((there) => ({ from: there.length, items }), operation);
      } else if (transaction.type === 'replace_suffix') {
        const { expectedSuffix, replacement } = transaction;
        await list.change((there) => {
          const from = there.length - expectedSuffix.length;
          if (from < 0 || !isDeepStrictEqual(plain(there.slice(from)), plain(expectedSuffix))) {
            throw invalid('the end of the history is not what it expects.');
          }
          return { from, items: replacement as readonly Members[] };
        }, operation);
      } else throw invalid('it is of a kind that is not known here.');
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  const items = 'list of objects';
  return checkAsyncCalls(session, {
    getItems: { 'limit?': 'number' },
    addItems: { items },
    replaceHistoryWithCompaction: { items },
    applyHistoryMutations: { rewrite: { mutations: 'list of objects' } },
    applyHistoryTransaction: { args: { operationId: 'anything', transaction: 'object' } },
  });
}

/** As JSON has it: a member that is undefined is as one that is not there. */
function plain(items: readonly unknown[]): unknown {
  return items.map((item) => copyItem(item));
}

function invalid(fault: string): OllmError {
  return new OllmError('USAGE', `The change of the history cannot be made: ${fault}`, {
    hint: 'Nothing was written. Read the items again with getItems.',
  });
}
