// Messages as a form of the providers reads them (providers/forms/given.ts), as the events that say them. Used by the
// adapters and by the session of the library (library/agent-session.ts).
import type { EventData, NewOllmEvent } from '../../events/index.ts';
import type { Part } from '../../messages/index.ts';
import { defined } from '../../platform/json.ts';
import { encodeOpaque } from '../../providers/ai-sdk/opaque.ts';
import type { GivenAnswer, GivenMessage, GivenPart, GivenResult } from '../../providers/forms/given.ts';
import { costOf, type UserPrices } from '../../providers/prices.ts';
import { storeLongTexts } from '../../session/long-text.ts';
import type { OpenCall } from '../../session/open-ends.ts';
import { estimateCall, estimateParts, estimatingCounter, withParts } from '../../tokens/estimate.ts';
import type { PutBlob } from '../kept/native.ts';
import { bytesPart, partsInWords } from './parts.ts';

/** The model that is asked and where, as far as the program said it. */
export interface AskedModel {
  readonly model: string;
  readonly provider: string;
  /** Default: the known prices. */
  readonly prices?: UserPrices | undefined;
}

/** How messages become events. */
export interface Saying extends AskedModel {
  readonly put: PutBlob;
  /** Whether messages of users and of the system may instruct the model. Default: yes. */
  readonly trusted?: boolean | undefined;
  /** The calls without a result, in their order: a result that names only its tool is that of the oldest. */
  readonly open?: OpenCall[] | undefined;
}

/** The events of the messages, with the usage that each answer reports after its calls. */
export async function eventsSaying(given: readonly GivenMessage[], saying: Saying): Promise<NewOllmEvent[]> {
  const { open = [] } = saying;
  const events: NewOllmEvent[] = [];
  for (const message of given) {
    if (message.role === 'tool') {
      for (const result of message.results) events.push(await finished(result, open, saying));
      continue;
    }
    const parts = await partsOf(message.parts, saying);
    if (parts.length > 0) events.push(added(message, parts, saying));
    if (message.role !== 'assistant') continue;
    for (const { callId, name, args } of message.calls) {
      open.push({ callId, name });
      events.push(requested(callId, name, args));
    }
    events.push(...reported(message, saying));
  }
  return events;
}

/** The usage that the answers report, each as an event. */
export function usageIn(given: readonly GivenMessage[], asked: AskedModel): NewOllmEvent[] {
  return given.flatMap((message) => (message.role === 'assistant' ? reported(message, asked) : []));
}

function reported({ usage, model: answered }: GivenAnswer, asked: AskedModel): NewOllmEvent[] {
  // A report of one of the two would count the other as nothing.
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined) return [];
  const { inputTokens, outputTokens } = usage;
  const { provider, prices = {} } = asked;
  const model = answered ?? asked.model;
  const counted = { ...usage, inputTokens, outputTokens };
  const totalCost = counted.totalCost ?? costOf(counted, provider, model, prices);
  const cost = totalCost === undefined ? {} : { totalCost };
  return [{ type: 'usage.reported', data: { ...counted, ...cost, source: 'provider', model, provider } }];
}

function added(
  message: Exclude<GivenMessage, { readonly role: 'tool' }>,
  parts: Part[],
  { provider, trusted = true }: Saying,
): NewOllmEvent {
  const { role } = message;
  const { finish, model } = message.role === 'assistant' ? message : {};
  return {
    type: 'message.added',
    data: {
      ...{ role, parts, tokens: { count: estimateParts(parts), method: 'estimated' } },
      trusted: role !== 'assistant' && trusted,
      ...(role === 'assistant' ? { provider } : {}),
      ...defined({ model, finish }),
    },
  };
}

function requested(callId: string, name: string, args: unknown): NewOllmEvent {
  const kept = (args ?? {}) as EventData<'tool.requested'>['args'];
  return { type: 'tool.requested', data: { callId, name, tokens: estimateCall({ name, args: kept }), args: kept } };
}

async function finished(result: GivenResult, open: OpenCall[], saying: Saying): Promise<NewOllmEvent> {
  const { callId, name, status, content } = result;
  const at = open.findIndex((call) => (callId === undefined ? call.name === name : call.callId === callId));
  const [call] = at === -1 ? [] : open.splice(at, 1);
  const files = await partsOf(result.files, saying);
  const images = files.filter((part) => part.type === 'image');
  const others = partsInWords(files.filter((part) => part.type === 'file'));
  const llmContent = [content, others].filter((text) => text !== '').join('\n');
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

/** Parts as the journal has them: files and long texts are attachments. */
async function partsOf(given: readonly GivenPart[], saying: Saying): Promise<Part[]> {
  const { model, provider, put } = saying;
  const parts: Part[] = [];
  for (const part of given) {
    if (part.type === 'text') parts.push(part);
    else if (part.type === 'file') {
      const { content, mediaType, name = 'file' } = part;
      parts.push(await bytesPart({ bytes: content, mediaType }, name, put));
    } else {
      const { opaque, ...thought } = part;
      const kept = opaque === undefined ? {} : { opaque: encodeOpaque(model, opaque) };
      parts.push({ ...thought, ...kept, provider });
    }
  }
  return storeLongTexts(parts, put);
}
