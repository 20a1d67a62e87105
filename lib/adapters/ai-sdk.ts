// Conversations of the AI SDK of Vercel, kept in journals: `UIMessage`s of `useChat`, and `ModelMessage`s of
// `generateText` and `streamText`. The package is not needed here: its messages are met by their members.
import { redactValue } from '../environment/redact-value.ts';
import { checkArguments, checkAsyncCalls } from '../errors/arguments.ts';
import type { NewEvent } from '../journal/types.ts';
import type { Members } from '../platform/json.ts';
import { aiSdkForm } from '../providers/forms/ai-sdk.ts';
import { aiSdkModelItems, aiSdkUiItems, readIn } from './forms/ai-sdk-items.ts';
import { type AskedModel, usageIn } from './forms/given-events.ts';
import { listOf, membersOf } from './forms/parts.ts';
import { type ItemForm, KeptList } from './kept/kept-list.ts';
import { type ConversationOptions, OPTIONS, sessionOf, storeOf } from './kept/options.ts';

/** The messages of one conversation. */
export interface AiSdkConversation<Message> extends AsyncDisposable {
  /** The id of the session. */
  readonly id: string;
  /** All messages as they were handed in, and those that ollm added since. An empty list before the first one. */
  load(): Promise<Message[]>;
  /**
   * Makes these the messages. Those at the beginning that are there already stay; the rest takes the place of what
   * came after them, which stays in the journal: an answer that was made again, or a message that has grown. They are
   * on the device when it resolves.
   */
  save(messages: readonly Message[]): Promise<void>;
  /** Adds one message or several. They are on the device when it resolves. */
  append(said: Message | readonly Message[]): Promise<void>;
  /** A reset: the journal goes to archive/. */
  clear(): Promise<void>;
  /** Releases the session for other writers. Without it, that happens a moment after the last message. */
  close(): Promise<void>;
}

/** What `generateText` resolves to, and what `streamText` hands to `onFinish`. */
export interface AiSdkAnswer<Message> {
  readonly responseMessages?: readonly Message[];
  readonly response?: { readonly messages?: readonly Message[] };
}

/** Model messages: a whole result can be added, too. */
export interface AiSdkHistory<Message> extends AiSdkConversation<Message> {
  /** Adds messages, or those of a result of `generateText` together with its usage. */
  append(said: Message | readonly Message[] | AiSdkAnswer<Message>): Promise<void>;
}

/**
 * The messages of a page, as `useChat` has them: `id` is the id of the chat. Several processes may serve one chat, one
 * after the other.
 *
 * @example
 * const chat = aiSdkUiMessages<UIMessage>({ store: openFileStore('/home/me/sessions'), id: chatId });
 * const messages = [...(await chat.load()), message];
 * return result.toUIMessageStreamResponse({ originalMessages: messages, onFinish: (end) => chat.save(end.messages) });
 * @throws OllmError USAGE, SESSION_ID_INVALID; its methods JOURNAL_LOCKED, JOURNAL_FULL, EVENT_INVALID and others
 */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a message, which is not named here
export function aiSdkUiMessages<Message extends object = any>(
  options: ConversationOptions,
): AiSdkConversation<Message> {
  checkArguments('aiSdkUiMessages', { options: OPTIONS }, [options]);
  return conversation(options, aiSdkUiItems, (said) => ({ items: Array.isArray(said) ? said : [said] }));
}

/**
 * The messages of a model, as `generateText` takes and gives them.
 *
 * @example
 * await using history = aiSdkModelMessages<ModelMessage>({ store: openFileStore('/home/me/sessions'), name: 'ferry' });
 * await history.append({ role: 'user', content: 'When does it leave?' });
 * await history.append(await generateText({ model, messages: await history.load() }));
 * @throws OllmError as aiSdkUiMessages
 */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a message, which is not named here
export function aiSdkModelMessages<Message extends object = any>(options: ConversationOptions): AiSdkHistory<Message> {
  checkArguments('aiSdkModelMessages', { options: OPTIONS }, [options]);
  return conversation(options, aiSdkModelItems, (said, asked) => {
    if (Array.isArray(said)) return { items: said };
    const { role, responseMessages, response } = membersOf(said);
    const messages = responseMessages ?? membersOf(response).messages;
    if (role !== undefined || !Array.isArray(messages)) return { items: [membersOf(said)] };
    return { items: listOf(messages), also: usageIn(readIn(aiSdkForm, said), asked) };
  });
}

/** The messages that are to be added, and events that are none. */
type Adding = (
  said: unknown,
  asked: AskedModel,
) => { readonly items: readonly Members[]; readonly also?: readonly NewEvent[] };

function conversation<Message>(
  options: ConversationOptions,
  form: (asked: AskedModel) => ItemForm<Members>,
  adding: Adding,
): AiSdkHistory<Message> {
  const { redactor } = options;
  const { id, created } = sessionOf(options);
  const list = new KeptList<Members>({ store: storeOf(options), id, form: form(created), created, shares: true });
  // The marks are set before the comparison with the stored messages, which have them.
  const clean = (items: readonly Members[]) =>
    redactor === undefined ? items : (redactValue([...items], (text) => redactor.redact(text).text) as Members[]);
  const close = () => list.close();
  const kept: AiSdkHistory<Message> = {
    id,
    load: async () => (await list.list()) as Message[],
    save: (messages) => list.save(clean(messages as readonly Members[])),
    append: async (said) => {
      const { items, also } = adding(said, created);
      await list.append(items, also);
    },
    clear: () => list.clear(),
    close,
    [Symbol.asyncDispose]: close,
  };
  return checkAsyncCalls(kept, { save: { messages: 'list of objects' }, append: { said: 'object | list of objects' } });
}
