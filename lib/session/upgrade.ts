// A session of the older form, one JSON document without a journal, as the events of a new journal. Pure. What the document
// does not say is not made up; its times are kept in the document, which stays under archive/.
import { OllmError } from '../errors/index.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import type { CreatedData } from './create.ts';

const ROLES = ['system', 'user', 'assistant'] as const;

export interface Upgrade {
  readonly created: Pick<CreatedData, 'model' | 'provider' | 'title'>;
  readonly events: readonly NewOllmEvent[];
}

/** @throws OllmError JOURNAL_DAMAGED if the text is no such session */
export function upgradeSession(id: string, text: string): Upgrade {
  const session = parse(text);
  if (session === undefined || !Array.isArray(session.messages)) {
    throw new OllmError('JOURNAL_DAMAGED', `${id}.json is no session: it has no list of messages.`, {
      hint: 'Move it away by hand; it was left as it is.',
      data: { id },
    });
  }
  const dated = [...messagesOf(session.messages), ...toolCallsOf(session.toolCalls)];
  // Sorting keeps the order of those that have the same time, or none.
  dated.sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
  return {
    created: {
      model: textOr(session.model, 'unknown'),
      provider: textOr(session.provider, 'unknown'),
      ...(typeof session.title === 'string' ? { title: session.title } : {}),
    },
    events: dated.flatMap(({ events }) => events),
  };
}

type Json = Readonly<Record<string, unknown>>;

interface Dated {
  readonly timestamp: string;
  readonly events: readonly NewOllmEvent[];
}

function messagesOf(messages: readonly unknown[]): Dated[] {
  return messages.filter(isObject).map((message) => {
    const role = ROLES.find((known) => known === message.role) ?? 'user';
    const data: EventData<'message.added'> = {
      role,
      parts: partsOf(message.parts),
      tokens: { count: 0, method: 'unknown' },
      trusted: role !== 'assistant',
    };
    return { timestamp: textOr(message.timestamp, ''), events: [{ type: 'message.added', data }] };
  });
}

function partsOf(parts: unknown): Part[] {
  if (!Array.isArray(parts)) return [];
  return parts.map((part: unknown) => {
    const text = isObject(part) && typeof part.text === 'string' ? part.text : JSON.stringify(part);
    return { type: 'text', text };
  });
}

function toolCallsOf(calls: unknown): Dated[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call, index) => {
    const callId = textOr(call.id, `call-${index + 1}`);
    const result = isObject(call.result) ? call.result : {};
    const { returnDisplay } = result;
    return {
      timestamp: textOr(call.timestamp, ''),
      events: [
        {
          type: 'tool.requested',
          data: { callId, name: textOr(call.name, 'unknown'), args: isObject(call.args) ? { ...call.args } : {} },
        },
        {
          type: 'tool.finished',
          data: {
            callId,
            status: 'ok',
            result: {
              llmContent: textOr(result.llmContent, ''),
              ...(typeof returnDisplay === 'string' ? { returnDisplay } : {}),
            },
            tokens: { count: 0, method: 'unknown' },
            durationMs: 0,
            trusted: false,
          },
        },
      ],
    };
  });
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
