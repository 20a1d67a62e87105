// A history of chat messages for LangChain, kept in a journal. The package is not needed here: the program hands in the
// class that its histories extend, and the function that makes messages of stored ones.
import { checkArguments } from '../errors/arguments.ts';
import { langchainItems, type StoredMessage } from './forms/langchain-messages.ts';
import { KeptList } from './kept/kept-list.ts';
import { type ConversationOptions, OPTIONS, sessionOf, storeOf } from './kept/options.ts';
import { withoutClasses } from './kept/without-classes.ts';

/** What of `@langchain/core` the history is made with. */
export interface LangChainCore<History, Message> {
  /** The class in `@langchain/core/chat_history`. */
  readonly BaseListChatMessageHistory: abstract new (
    ...args: never[]
  ) => History;
  /** The function in `@langchain/core/messages`. */
  // biome-ignore lint/suspicious/noExplicitAny: the stored messages of the package, which are not named here
  readonly mapStoredMessagesToChatMessages: (stored: any[]) => Message[];
}

/** Members that a history has in addition to those of the class. */
export interface KeptHistory extends AsyncDisposable {
  /** The id of the session. */
  readonly sessionId: string;
  /** Releases the session for other writers. Without it, that happens a moment after the last message. */
  close(): Promise<void>;
}

interface Dictionary {
  toDict(): unknown;
}

/**
 * The history of the conversation with this name or id, which is made with its first message. `clear` is a reset: the
 * journal goes to archive/.
 *
 * @example
 * const core = { BaseListChatMessageHistory, mapStoredMessagesToChatMessages };
 * await using history = langchainHistory(core, { store: openFileStore('/home/me/sessions'), id: 'support-42' });
 * await history.addUserMessage('When does the ferry leave?');
 * @throws OllmError USAGE, SESSION_ID_INVALID; its methods JOURNAL_LOCKED, JOURNAL_FULL, EVENT_INVALID and others
 */
export function langchainHistory<History extends object, Message>(
  core: LangChainCore<History, Message>,
  options: ConversationOptions,
): History & KeptHistory {
  const parts = { BaseListChatMessageHistory: 'class', mapStoredMessagesToChatMessages: 'function' } as const;
  checkArguments('langchainHistory', { core: parts, options: OPTIONS }, [core, options]);
  const { BaseListChatMessageHistory, mapStoredMessagesToChatMessages } = core;
  const { id, created } = sessionOf(options);
  const form = langchainItems(created);
  const list = new KeptList<StoredMessage>({ store: storeOf(options), id, form, created, shares: true });

  class JournalHistory extends (BaseListChatMessageHistory as unknown as new () => object) implements KeptHistory {
    readonly lc_namespace = ['ollm', 'adapters', 'langchain'];
    readonly sessionId = id;

    async getMessages(): Promise<Message[]> {
      return mapStoredMessagesToChatMessages(await list.list());
    }

    addMessage(message: Dictionary): Promise<void> {
      return this.addMessages([message]);
    }

    async addMessages(messages: readonly Dictionary[]): Promise<void> {
      checkArguments('addMessages', { messages: 'list of messages of LangChain' }, [messages]);
      await list.append(messages.map((message) => withoutClasses(message.toDict()) as StoredMessage));
    }

    clear(): Promise<void> {
      return list.clear();
    }

    close(): Promise<void> {
      return list.close();
    }

    [Symbol.asyncDispose](): Promise<void> {
      return list.close();
    }
  }
  return new JournalHistory() as unknown as History & KeptHistory;
}
