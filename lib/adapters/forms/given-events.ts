// Messages as a form of the providers reads them (providers/forms/given.ts), as the events that say them.
import type { EventData, NewOllmEvent } from '../../events/index.ts';
import type { Part } from '../../messages/index.ts';
import { encodeOpaque } from '../../providers/ai-sdk/opaque.ts';
import type { GivenAnswer, GivenMessage, GivenPart, GivenResult } from '../../providers/forms/given.ts';
import { costOf } from '../../providers/prices.ts';
import type { PutBlob } from '../kept/native.ts';
import { bytesPart, partsInWords } from './parts.ts';

/** The model that is asked and where, as far as the program said it. */
export interface AskedModel {
  readonly model: string;
  readonly provider: string;
}

export async function eventsSaying(
  given: readonly GivenMessage[],
  asked: AskedModel,
  put: PutBlob,
): Promise<NewOllmEvent[]> {
  const events: NewOllmEvent[] = [];
  for (const message of given) {
    if (message.role === 'tool') {
      for (const result of message.results) events.push(await finished(result, asked, put));
      continue;
    }
    const parts = await partsOf(message.parts, asked, put);
    if (parts.length > 0) events.push(added(message, parts, asked));
    if (message.role !== 'assistant') continue;
    for (const { callId, name, args } of message.calls) {
      const kept = (args ?? {}) as EventData<'tool.requested'>['args'];
      events.push({ type: 'tool.requested', data: { callId, name, args: kept } });
    }
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
  const model = asked.model || answered || '';
  const counted = { ...usage, inputTokens, outputTokens };
  const totalCost = counted.totalCost ?? costOf(counted, asked.provider, model, {});
  const cost = totalCost === undefined ? {} : { totalCost };
  const by = { source: 'provider', model, provider: asked.provider } as const;
  return [{ type: 'usage.reported', data: { ...counted, ...cost, ...by } }];
}

function added(
  message: Exclude<GivenMessage, { readonly role: 'tool' }>,
  parts: Part[],
  { provider }: AskedModel,
): NewOllmEvent {
  const { role } = message;
  const { finish, model } = message.role === 'assistant' ? message : {};
  return {
    type: 'message.added',
    data: {
      ...{ role, parts, trusted: role !== 'assistant' },
      ...(role === 'assistant' && provider !== '' ? { provider } : {}),
      ...(model === undefined ? {} : { model }),
      ...(finish === undefined ? {} : { finish }),
    },
  };
}

async function finished(result: GivenResult, asked: AskedModel, put: PutBlob): Promise<NewOllmEvent> {
  const { callId, name, status, content } = result;
  const files = await partsOf(result.files, asked, put);
  const images = files.filter((part) => part.type === 'image');
  const others = partsInWords(files.filter((part) => part.type === 'file'));
  const llmContent = [content, others].filter((text) => text !== '').join('\n');
  return {
    type: 'tool.finished',
    data: {
      ...{ callId: callId ?? name ?? '', status, trusted: false },
      result: { llmContent, ...(images.length > 0 ? { images } : {}) },
    },
  };
}

async function partsOf(given: readonly GivenPart[], { model, provider }: AskedModel, put: PutBlob): Promise<Part[]> {
  const parts: Part[] = [];
  for (const part of given) {
    if (part.type === 'text') parts.push(part);
    else if (part.type === 'file') {
      const { content, mediaType, name = 'file' } = part;
      parts.push(await bytesPart({ bytes: content, mediaType }, name, put));
    } else {
      const { opaque, ...thought } = part;
      const kept = opaque === undefined ? {} : { opaque: encodeOpaque(model, opaque) };
      parts.push({ ...thought, ...kept, ...(provider === '' ? {} : { provider }) });
    }
  }
  return parts;
}
