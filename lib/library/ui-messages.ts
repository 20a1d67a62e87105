// The conversation as the pages of the AI SDK show it: all that was said and not taken back, without the system prompt
// of the session and without delimiters. A message that came in as a `UIMessage` comes back as it was; everything else
// is worked out of the conversation (projections/conversation.ts).
import { unpackItem } from '../adapters/kept/native.ts';
import type { EventData, OllmEvent } from '../events/index.ts';
import { knownEvents } from '../events/known-events.ts';
import type { JournalStore } from '../journal/types.ts';
import type { FilePart, ImagePart, Part } from '../messages/index.ts';
import { isObject } from '../platform/json.ts';
import { isOnActiveBranch, moveTo, noBranches } from '../projections/branches.ts';
import { addEvent, type ConversationCall, emptyConversation, partsOf } from '../projections/conversation.ts';
import { isPrompt } from '../projections/message-pieces.ts';
import { decodeOpaque, digestOf } from '../providers/ai-sdk/opaque.ts';
import type { AiSdkPartOptions, AiSdkUiCall, AiSdkUiMessage, AiSdkUiPart } from '../providers/forms/message-forms.ts';
import { LONG_TEXT_NAME } from '../session/long-text.ts';

export const UI_FORM = 'ai-sdk-ui';

interface Shown {
  readonly store: JournalStore;
  readonly id: string;
  /** The one whose marks go back: those of another mean nothing to it. */
  readonly model: string;
}

/** A message, and the first event that says it. */
interface ShownMessage {
  readonly message: AiSdkUiMessage;
  readonly seq: number;
}

export async function shownMessages(shown: Shown): Promise<ShownMessage[]> {
  const events = await activeEvents(shown);
  const ends = new Map(
    events.flatMap((event) => (event.type === 'tool.finished' ? [[event.data.callId, event.data]] : [])),
  );
  const messages: ShownMessage[] = [];
  let others: OllmEvent[] = [];
  let keptTo = -1;
  for (const event of events) {
    if (event.seq <= keptTo) continue;
    const { native } = event.data as { readonly native?: EventData<'item.kept'>['native'] };
    if (native?.form !== UI_FORM) {
      others.push(event);
      continue;
    }
    messages.push(...(await worked(others, shown)));
    others = [];
    keptTo = event.seq + (native.events ?? 1) - 1;
    const read = (sha256: string) => shown.store.readBlob(sha256);
    const message = (await unpackItem(native, event.data, read)) as AiSdkUiMessage;
    messages.push({ message: ended(message, ends), seq: event.seq });
  }
  return [...messages, ...(await worked(others, shown))];
}

async function activeEvents({ store, id }: Shown): Promise<OllmEvent[]> {
  using reader = store.openReader(id);
  const branches = noBranches();
  const events: OllmEvent[] = [];
  for await (const event of knownEvents(reader.outcomes())) {
    if (event.type === 'branch.moved') moveTo(branches, event.seq, event.data.head);
    events.push(event);
  }
  return events.filter(({ seq }) => isOnActiveBranch(branches, seq));
}

/** A call that was handed in without a result may have got one since. */
function ended(message: AiSdkUiMessage, ends: ReadonlyMap<string, EventData<'tool.finished'>>): AiSdkUiMessage {
  if (!Array.isArray(message.parts)) return message;
  const parts = message.parts.map((part) => {
    // A program may have handed in parts of any kind.
    const { state, toolCallId } = (isObject(part) ? part : {}) as {
      readonly state?: string;
      readonly toolCallId?: string;
    };
    const end = state === 'input-available' ? ends.get(String(toolCallId)) : undefined;
    return end === undefined ? part : ({ ...part, ...resultOf(end) } as AiSdkUiCall);
  });
  return { ...message, parts };
}

async function worked(events: readonly OllmEvent[], shown: Shown): Promise<ShownMessage[]> {
  const conversation = emptyConversation();
  for (const event of events) addEvent(conversation, event);
  const messages: ShownMessage[] = [];
  const said = new Map<number, AiSdkUiMessage>();
  const marks: CallMarks = new Map();
  let lastCall: ConversationCall | undefined;
  const answer = (seq: number): AiSdkUiMessage => {
    const last = messages.at(-1)?.message;
    if (last?.role === 'assistant') return last;
    lastCall = undefined;
    const begun: AiSdkUiMessage = { id: `${shown.id}-${seq}`, role: 'assistant', parts: [{ type: 'step-start' }] };
    messages.push({ message: begun, seq });
    return begun;
  };
  for (const item of conversation.items) {
    if (item.kind === 'message') {
      const { data, seq } = item;
      const parts = await partsShown(partsOf(item), { ...shown, marks });
      if (data.role === 'assistant' && parts.length > 0) {
        const message = answer(seq);
        if (lastCall !== undefined) message.parts.push(STEP);
        lastCall = undefined;
        message.parts.push(...parts);
      } else if (isPrompt(data)) {
        const message: AiSdkUiMessage = { id: `${shown.id}-${seq}`, role: 'user', parts };
        messages.push({ message, seq });
        said.set(seq, message);
      }
    } else if (item.kind === 'call' && item.request !== undefined) {
      const part = callShown(item, item.request, marks);
      const earlier = item.late && messages.find(({ message }) => hasCall(message, item.callId))?.message;
      if (earlier) {
        earlier.parts = earlier.parts.map((each) => (isCall(each, item.callId) ? part : each));
        continue;
      }
      const { parts } = answer(item.seq);
      if (lastCall?.end !== undefined && lastCall.end.seq < item.seq) parts.push(STEP);
      parts.push(part);
      lastCall = item;
    } else if (item.kind === 'replaced') {
      const message = said.get(item.of ?? -1);
      if (message) message.parts = await partsShown(item.parts, { ...shown, marks });
    }
  }
  return messages;
}

/** What vendors want back with calls, by the ids of these. */
type CallMarks = Map<string, AiSdkPartOptions>;

const STEP = { type: 'step-start' } as const;

async function partsShown(
  parts: readonly Part[],
  { store, model, marks }: Shown & { readonly marks: CallMarks },
): Promise<AiSdkUiPart[]> {
  const shown: AiSdkUiPart[] = [];
  for (const part of parts) {
    if (part.type === 'text') shown.push({ type: 'text', text: part.text });
    else if (part.type === 'reasoning') {
      const opaque = part.opaque === undefined ? undefined : decodeOpaque(part.opaque, model);
      const providerMetadata = opaque?.metadata as AiSdkPartOptions;
      const { text = '' } = part;
      const last = shown.at(-1);
      if (opaque?.kind === 'call') marks.set(opaque.callId, providerMetadata);
      if (opaque?.kind === 'text' && last?.type === 'text') shown[shown.length - 1] = { ...last, providerMetadata };
      const isSigned = opaque?.kind === 'reasoning' && opaque.digest === digestOf(text);
      if (text !== '' || isSigned) shown.push({ type: 'reasoning', text, ...(isSigned ? { providerMetadata } : {}) });
    } else shown.push(await fileShown(part, store));
  }
  return shown;
}

async function fileShown(part: FilePart | ImagePart, store: JournalStore): Promise<AiSdkUiPart> {
  const content = await store.readBlob(part.blob);
  const { mediaType } = part;
  if (part.type === 'file' && part.name === LONG_TEXT_NAME)
    return { type: 'text', text: new TextDecoder().decode(content) };
  const url = `data:${mediaType};base64,${Buffer.from(content ?? []).toString('base64')}`;
  return { type: 'file', mediaType, ...(part.type === 'file' ? { filename: part.name } : {}), url };
}

function callShown(
  { callId, end }: ConversationCall,
  { name, args }: EventData<'tool.requested'>,
  marks: CallMarks,
): AiSdkUiCall {
  const mark = marks.get(callId);
  const call = { type: `tool-${name}`, toolCallId: callId, ...(mark ? { callProviderMetadata: mark } : {}) };
  return { ...call, input: args, ...(end === undefined ? { state: 'input-available' } : resultOf(end)) } as AiSdkUiCall;
}

function resultOf({ callId, status, result: { llmContent } }: EventData<'tool.finished'>): object {
  if (status === 'ok') return { state: 'output-available', output: llmContent };
  if (status !== 'denied') return { state: 'output-error', errorText: llmContent };
  return { state: 'output-denied', approval: { id: callId, approved: false, reason: llmContent } };
}

function hasCall({ parts }: AiSdkUiMessage, callId: string): boolean {
  return parts.some((part) => isCall(part, callId));
}

function isCall(part: AiSdkUiPart, callId: string): boolean {
  return 'toolCallId' in part && part.toolCallId === callId;
}
