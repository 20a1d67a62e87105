// A session for a program that asks models itself: messages go in as the API of any vendor gives them, and the next
// request comes out in the form of any. A message is in the journal when `append` resolves, so that a killed program
// continues where it was.
import { copyItem, packItem } from '../adapters/kept/native.ts';
import { assemble, INSTRUCTION_TOKENS } from '../context/assemble.ts';
import { checkAsyncCalls, checkCalls } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { AppendOptions, JournalStore, Receipt } from '../journal/types.ts';
import type { ImagePart, Part, TokenCount } from '../messages/index.ts';
import { systemIds } from '../platform/ids.ts';
import { type BudgetReport, budgetReport } from '../projections/budget-report.ts';
import { encodeOpaque } from '../providers/ai-sdk/opaque.ts';
import { toCallOptions } from '../providers/ai-sdk/prompt.ts';
import { FORMS } from '../providers/forms/forms.ts';
import type { GivenAnswer, GivenMessage, GivenPart, GivenResult, InlineFile } from '../providers/forms/given.ts';
import type { FormName, MessageForms, SentForm } from '../providers/forms/message-forms.ts';
import { loadBlobs } from '../providers/load-blobs.ts';
import { costOf, type UserPrices } from '../providers/prices.ts';
import { storeLongTexts } from '../session/long-text.ts';
import type { OpenCall } from '../session/open-ends.ts';
import type { ResumeReport, Session } from '../session/session.ts';
import { estimateCall, estimateParts, estimatingCounter, withParts } from '../tokens/estimate.ts';
import { UI_FORM, uiMessages } from './ui-messages.ts';

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
}

export function agentSession(session: Session, { store, prices }: AgentSessionMeans): AgentSession {
  const close = () => session.close('exit');
  const agent: AgentSession = {
    id: session.id,
    report: session.report,
    session,
    append: (said, form = 'ai-sdk', options = {}) =>
      session.exclusively(async () => {
        const storing = { session, store, prices, form, ...options };
        return session.append(await eventsOf(said, storing), options);
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
      ? { messages: await uiMessages({ store, id: session.id, model }) }
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
  const open = [...storing.session.states.openEnds.calls];
  const { read } = formOf(storing.form);
  const newId = () => `call-${systemIds.token()}`;
  if (storing.form !== UI_FORM) return eventsSaying(read(said, newId), open, storing);
  const events: NewOllmEvent[] = [];
  for (const item of Array.isArray(said) ? said : [said])
    events.push(...(await kept(item, await eventsSaying(read(item, newId), open, storing), storing)));
  return events;
}

/** With the message as it is, so that it comes back exactly. One that says nothing to a model is kept too. */
async function kept(item: unknown, events: NewOllmEvent[], { session, store }: Storing): Promise<NewOllmEvent[]> {
  const [first = { type: 'item.kept', data: {}, ignorable: true } as const, ...rest] = events;
  const put = (bytes: Uint8Array) => store.putBlob(bytes, session.id);
  const about = { form: UI_FORM, data: first.data, events: 1 + rest.length, put };
  const native = await packItem(copyItem(item), about);
  return [{ ...first, data: { ...first.data, native } } as NewOllmEvent, ...rest];
}

async function eventsSaying(
  given: readonly GivenMessage[],
  open: OpenCall[],
  storing: Storing,
): Promise<NewOllmEvent[]> {
  const events: NewOllmEvent[] = [];
  for (const message of given) {
    if (message.role === 'tool') {
      for (const result of message.results) events.push(await finished(result, open, storing));
      continue;
    }
    const answer = message.role === 'assistant' ? message : undefined;
    const parts = await stored(message.parts, storing);
    if (parts.length > 0) events.push(added(message, parts, storing));
    for (const { callId, name, args } of answer?.calls ?? []) {
      open.push({ callId, name });
      events.push(requested(callId, name, args));
    }
    events.push(...reported(answer, storing));
  }
  return events;
}

function added(message: Exclude<GivenMessage, { role: 'tool' }>, parts: Part[], storing: Storing): NewOllmEvent {
  const { role } = message;
  const answer = message.role === 'assistant' ? message : undefined;
  const { finish, model } = answer ?? {};
  return {
    type: 'message.added',
    data: {
      role,
      parts,
      tokens: tokensOf(parts),
      trusted: role !== 'assistant' && (storing.trusted ?? true),
      ...(answer === undefined ? {} : { provider: providerOf(storing) }),
      ...(model === undefined ? {} : { model }),
      ...(finish === undefined ? {} : { finish }),
    },
  };
}

/** Whose reasoning it is: of the vendor that has this form, or of the session's. */
function providerOf({ form, session }: Storing): string {
  return FORMS[form].provider ?? session.states.view.provider;
}

function tokensOf(parts: readonly Part[]): TokenCount {
  return { count: estimateParts(parts), method: 'estimated' };
}

function requested(callId: string, name: string, args: unknown): NewOllmEvent {
  const kept = (args ?? {}) as EventData<'tool.requested'>['args'];
  return { type: 'tool.requested', data: { callId, name, tokens: estimateCall({ name, args: kept }), args: kept } };
}

/** A result that names only its tool is that of the oldest open call of it. */
async function finished(result: GivenResult, open: OpenCall[], storing: Storing): Promise<NewOllmEvent> {
  const { callId, name, status, content } = result;
  const at = open.findIndex((call) => (callId === undefined ? call.name === name : call.callId === callId));
  const [call] = at === -1 ? [] : open.splice(at, 1);
  const files = await stored(result.files, storing);
  const images = files.filter((part): part is ImagePart => part.type === 'image');
  const others = files.flatMap((part) => (part.type === 'file' ? [`[the file ${part.name}: blobs/${part.blob}]`] : []));
  const llmContent = [content, ...others].filter((text) => text !== '').join('\n');
  return {
    type: 'tool.finished',
    data: {
      // A result that names no call is refused, as is any event that points nowhere.
      callId: call?.callId ?? callId ?? String(name),
      status,
      result: { llmContent, ...(images.length === 0 ? {} : { images }) },
      tokens: withParts(estimatingCounter.count(llmContent), images),
      trusted: false,
    },
  };
}

function reported(answer: GivenAnswer | undefined, storing: Storing): NewOllmEvent[] {
  const { usage } = answer ?? {};
  // A report of one of the two would count the other as nothing.
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined) return [];
  const { view } = storing.session.states;
  const { inputTokens, outputTokens } = usage;
  const [provider, model] = [providerOf(storing), answer?.model ?? view.model];
  const counted = { ...usage, inputTokens, outputTokens };
  const totalCost = counted.totalCost ?? costOf(counted, provider, model, storing.prices);
  const cost = totalCost === undefined ? {} : { totalCost };
  return [{ type: 'usage.reported', data: { ...counted, ...cost, source: 'provider', model, provider } }];
}

/** Parts as the journal has them: files and long texts are attachments. */
async function stored(given: readonly GivenPart[], storing: Storing): Promise<Part[]> {
  const { session, store } = storing;
  const parts: Part[] = [];
  for (const part of given) {
    if (part.type === 'text') parts.push(part);
    else if (part.type === 'file') parts.push(await storedFile(part, storing));
    else {
      const { opaque, ...thought } = part;
      const kept = opaque === undefined ? {} : { opaque: encodeOpaque(session.states.view.model, opaque) };
      parts.push({ ...thought, ...kept, provider: providerOf(storing) });
    }
  }
  return storeLongTexts(parts, { store, sessionId: session.id });
}

async function storedFile({ mediaType, name, content }: InlineFile, { store, session }: Storing): Promise<Part> {
  const blob = await store.putBlob(content, session.id);
  if (mediaType.startsWith('image/')) return { type: 'image', mediaType, blob };
  return { type: 'file', name: name ?? 'file', mediaType, blob };
}
