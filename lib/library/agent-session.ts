// A session for a program that asks models itself: messages go in as the API of any vendor gives them, and the next
// request comes out in the form of any. A message is in the journal when `append` resolves, so that a killed program
// continues where it was.
import { isDeepStrictEqual } from 'node:util';
import { eventsSaying, type Saying } from '../adapters/forms/given-events.ts';
import { copyItem, packItem } from '../adapters/kept/native.ts';
import { assemble, INSTRUCTION_TOKENS } from '../context/assemble.ts';
import { redactValue } from '../environment/redact-value.ts';
import { checkAsyncCalls, checkCalls } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import type { NewOllmEvent } from '../events/index.ts';
import type { AppendOptions, JournalStore, Receipt } from '../journal/types.ts';
import { systemIds } from '../platform/ids.ts';
import { isObject } from '../platform/json.ts';
import { type BudgetReport, budgetReport } from '../projections/budget-report.ts';
import { toCallOptions } from '../providers/ai-sdk/prompt.ts';
import { FORMS } from '../providers/forms/forms.ts';
import type { FormName, MessageForms, SentForm } from '../providers/forms/message-forms.ts';
import { loadBlobs } from '../providers/load-blobs.ts';
import type { UserPrices } from '../providers/prices.ts';
import type { ResumeReport, Session } from '../session/session.ts';
import { shownMessages, UI_FORM } from './ui-messages.ts';

/** How something is appended. */
export interface SayOptions extends AppendOptions {
  /** Whether words in the role of the user may instruct the model. Default: yes. Text from elsewhere may not. */
  readonly trusted?: boolean | undefined;
}

/** What of the conversation goes into the next request. */
export interface NextOptions {
  /** Tokens that are kept free for the answer. Default: 0. */
  readonly reserveTokens?: number | undefined;
  /** Tokens that the request and its answer may take. Default: the window of the session's model, if it is known. */
  readonly contextWindow?: number | undefined;
}

/** An open session of a program that asks models itself. */
export interface AgentSession extends AsyncDisposable {
  readonly id: string;
  /** Whether it was made just now, and what a crash had left: `notices` are sentences for the user. */
  readonly report: ResumeReport;
  /** The session below, for events of any type, and for `runTurn`. */
  readonly session: Session;
  /**
   * Stores a message, several of them, or a whole answer of the API, in the form that it came in. Calls of tools and
   * their results are parts of messages there. It is in the file when the promise resolves, all of it or nothing.
   *
   * A `UIMessage` with an id is stored once: a page hands in its whole list again, and new messages are added. One
   * that follows a stored message in the list follows it in the conversation: another answer, or a message with other
   * content under its id, replaces the stored messages from there on. The journal keeps both. Messages that are missing
   * at the end of the list stay.
   *
   * @throws OllmError EVENT_INVALID (it does not have this form), EVENT_DANGLING (a result without its call),
   *   JOURNAL_FULL, JOURNAL_CLOSED
   */
  append(said: unknown, form?: FormName, options?: SayOptions): Promise<readonly Receipt[]>;
  /**
   * What to send next: the system prompt and all messages, to be spread into a request. What tools answered, and other
   * text from outside, is between delimiters, which the system prompt explains. In the form `ai-sdk-ui` it is what a
   * page shows instead: all that was said and not taken back, without system prompt and delimiters.
   *
   * @throws OllmError CONTEXT_TOO_SMALL if the newest message does not fit the window
   */
  messages<Form extends FormName>(form: Form, options?: NextOptions): Promise<MessageForms[Form]>;
  /** The tokens of the next request, the rest of the window, and the sums of all requests. */
  tokens(options?: Pick<NextOptions, 'reserveTokens'>): BudgetReport;
  /** Writes the derived files and releases the lock. Appended messages are stored without it. */
  close(): Promise<void>;
}

interface AgentSessionMeans {
  readonly store: JournalStore;
  readonly prices: UserPrices;
  /** Takes secrets out of a text, as the store does. */
  readonly redact: (text: string) => string;
}

export function agentSession(session: Session, means: AgentSessionMeans): AgentSession {
  const { store } = means;
  const close = () => session.close('exit');
  const agent: AgentSession = {
    id: session.id,
    report: session.report,
    session,
    append: (said, form = 'ai-sdk', options = {}) =>
      session.exclusively(async () => {
        const events = await eventsOf(said, { ...options, ...means, session, form });
        return events.length === 0 ? [] : session.append(events, options);
      }),
    messages: (form, options = {}) => session.exclusively(() => messagesIn(form, session, store, options)),
    tokens: ({ reserveTokens = 0 } = {}) =>
      budgetReport(session.states.budget, { reserveTokens, instructionTokens: INSTRUCTION_TOKENS }),
    close,
    [Symbol.asyncDispose]: close,
  };
  checkCalls(agent, { tokens: { 'options?': { 'reserveTokens?': 'number' } } });
  const sizes = { 'reserveTokens?': 'number', 'contextWindow?': 'number' } as const;
  return checkAsyncCalls(agent, {
    append: { said: 'anything', 'form?': 'text', 'options?': 'object' },
    messages: { form: 'text', 'options?': sizes },
  });
}

function formOf<Name extends FormName>(name: Name): (typeof FORMS)[Name] {
  if (Object.hasOwn(FORMS, name)) return FORMS[name];
  throw new OllmError('USAGE', `There is no form ${JSON.stringify(name)}.`, {
    hint: `The forms are ${Object.keys(FORMS).join(', ')}.`,
  });
}

async function messagesIn<Name extends FormName>(
  name: Name,
  session: Session,
  store: JournalStore,
  options: NextOptions,
): Promise<MessageForms[Name]> {
  formOf(name);
  const { model } = session.states.view;
  const messages: MessageForms[FormName] =
    name === UI_FORM
      ? { messages: (await shownMessages({ store, id: session.id, model })).map(({ message }) => message) }
      : await nextIn(name as SentForm, session, store, options);
  return messages as MessageForms[Name];
}

async function nextIn<Name extends SentForm>(
  name: Name,
  session: Session,
  store: JournalStore,
  { reserveTokens = 0, contextWindow = session.states.view.contextWindow }: NextOptions,
): Promise<MessageForms[Name]> {
  const form = formOf(name);
  if (contextWindow !== undefined) await session.reach(contextWindow);
  // Where the window is not known, everything is sent.
  const whole = contextWindow === undefined ? await session.viewBackTo(Number.MAX_SAFE_INTEGER) : session.states.view;
  const { provider = whole.provider, rules } = form;
  const view = { ...whole, provider };
  const { system, messages } = assemble(view, { reserveTokens, contextWindow, form: view.form });
  const request = { model: view.model, system, messages, tools: [], readBlob: store.readBlob };
  return form.write(toCallOptions(await loadBlobs(request), rules).prompt, view.model) as MessageForms[Name];
}

interface Storing extends AgentSessionMeans, SayOptions {
  readonly session: Session;
  readonly form: FormName;
}

async function eventsOf(said: unknown, storing: Storing): Promise<NewOllmEvent[]> {
  const { session, store, prices, form, trusted } = storing;
  const { read } = formOf(form);
  const { model, provider } = session.states.view;
  const saying: Saying = {
    ...{ model, prices, trusted, provider: FORMS[form].provider ?? provider },
    open: [...session.states.openEnds.calls],
    put: (bytes) => store.putBlob(bytes, session.id),
  };
  const newId = () => `call-${systemIds.token()}`;
  if (form !== UI_FORM) return eventsSaying(read(said, newId), saying);
  const { head, items } = await newIn(Array.isArray(said) ? said : [said], storing);
  const events: NewOllmEvent[] = head === undefined ? [] : [{ type: 'branch.moved', data: { head, reason: 'undo' } }];
  for (const item of items) events.push(...(await kept(item, await eventsSaying(read(item, newId), saying), saying)));
  return events;
}

/**
 * The messages of a page's list that are not stored yet, by their ids. `head`: the event after which the conversation
 * continues, if the list differs from the stored messages.
 */
async function newIn(
  given: readonly unknown[],
  { session, store, redact }: Storing,
): Promise<{ readonly head?: number; readonly items: readonly unknown[] }> {
  const byId = new Map<string, unknown>();
  for (const [index, item] of given.entries()) byId.set(idOf(item) ?? `#${index}`, item);
  const items = [...byId.values()];
  if (!items.some((item) => idOf(item) !== undefined)) return { items };
  const { model } = session.states.view;
  const shown = await shownMessages({ store, id: session.id, model });
  const stored = new Map(shown.map(({ message }, place) => [message.id, { message, place }]));
  const places = items.map((item) => {
    const there = stored.get(idOf(item) ?? '');
    const isSame = there && isDeepStrictEqual(redactValue(copyItem(item), redact), copyItem(there.message));
    return { item, place: there?.place, isSame };
  });
  const first = places.findIndex(({ isSame }) => !isSame);
  if (first === -1) return { items: [] };
  // A message that follows a stored one in the list follows it in the conversation.
  const before = places[first - 1]?.place ?? shown.length - 1;
  const cut = Math.min(before + 1, ...places.flatMap(({ place, isSame }) => (isSame ? [] : (place ?? []))));
  const head = shown[cut]?.seq;
  return {
    ...(head === undefined ? {} : { head: head - 1 }),
    items: places.flatMap(({ item, place = shown.length, isSame }) => (isSame && place < cut ? [] : [item])),
  };
}

/** Undefined of a message without an id: it is a new one. */
function idOf(item: unknown): string | undefined {
  const id = isObject(item) ? item.id : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** With the message as it is, so that it comes back exactly. One that says nothing to a model is kept too. */
async function kept(item: unknown, events: NewOllmEvent[], { put }: Saying): Promise<NewOllmEvent[]> {
  const [first = { type: 'item.kept', data: {}, ignorable: true } as const, ...rest] = events;
  const about = { form: UI_FORM, data: first.data, events: 1 + rest.length, put };
  const native = await packItem(copyItem(item), about);
  return [{ ...first, data: { ...first.data, native } } as NewOllmEvent, ...rest];
}
