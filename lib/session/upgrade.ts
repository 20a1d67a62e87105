// A session of the older form, one JSON document without a journal, as the events of a new journal. Pure. Each event
// has the time from the document. Facts that the document lacks are not invented.
import { OllmError } from '../errors/index.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import { isObject, parseObject } from '../platform/json.ts';
import type { CreatedData } from './create.ts';

const ROLES = ['system', 'user', 'assistant'] as const;

interface Upgrade {
  readonly created: Pick<CreatedData, 'model' | 'provider' | 'title' | 'at' | 'older'>;
  readonly events: readonly NewOllmEvent[];
}

/** @throws OllmError JOURNAL_DAMAGED if the text is not such a session */
export function upgradeSession(id: string, text: string): Upgrade {
  const session = parseObject(text);
  if (session === undefined || !Array.isArray(session.messages)) {
    throw new OllmError('JOURNAL_DAMAGED', `${id}.json is not a session: it has no list of messages.`, {
      hint: 'Move it away by hand; it was left as it is.',
      data: { id },
    });
  }
  const dated = [...messagesOf(session.messages), ...toolCallsOf(session.toolCalls)];
  // Sorting keeps the order of those that have the same time, or none.
  dated.sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
  const older = olderMembers(id, session);
  return {
    created: {
      model: textOr(session.model, 'unknown'),
      provider: textOr(session.provider, 'unknown'),
      ...(typeof session.title === 'string' ? { title: session.title } : {}),
      ...at(session.startTime),
      ...(Object.keys(older).length === 0 ? {} : { older }),
    },
    events: [
      ...compactionsOf(session),
      ...withTokens(
        dated.flatMap(({ events }) => events),
        older.tokenCount,
      ),
    ],
  };
}

function olderMembers(id: string, { sessionId, lastActivity, metadata }: Json): NonNullable<CreatedData['older']> {
  const { tokenCount } = isObject(metadata) ? metadata : {};
  const { at: time } = at(lastActivity);
  return {
    ...(typeof sessionId === 'string' && sessionId !== id ? { sessionId } : {}),
    ...(time === undefined ? {} : { lastActivity: time }),
    ...(Number.isSafeInteger(tokenCount) && Number(tokenCount) >= 0 ? { tokenCount: Number(tokenCount) } : {}),
  };
}

/** The document says how many tokens all have: each text gets its part of them, by its length. */
function withTokens(events: readonly NewOllmEvent[], total: number | undefined): readonly NewOllmEvent[] {
  const lengths = events.map(lengthOf);
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  if (total === undefined || whole === 0) return events;
  let seen = 0;
  let given = 0;
  return events.map((event, index) => {
    if (event.type !== 'message.added' && event.type !== 'tool.finished') return event;
    seen += lengths[index]!;
    const count = Math.round((total * seen) / whole) - given;
    given += count;
    return { ...event, data: { ...event.data, tokens: { count, method: 'estimated' } } } as NewOllmEvent;
  });
}

function lengthOf(event: NewOllmEvent): number {
  if (event.type === 'tool.finished') return event.data.result.llmContent.length;
  if (event.type !== 'message.added') return 0;
  return event.data.parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

/** A time that cannot be read is not kept. */
function at(time: unknown): { at?: string } {
  return typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? { at: time } : {};
}

/** More of them than a session has ever had. */
const MAX_COMPACTIONS = 10_000;

/** That they were, and nothing else, is known: they cover nothing, so that all that is left is still sent. */
function compactionsOf({ metadata, lastActivity }: Json): NewOllmEvent[] {
  const count = isObject(metadata) ? metadata.compressionCount : undefined;
  if (!Number.isSafeInteger(count)) return [];
  return Array.from({ length: Math.min(MAX_COMPACTIONS, Math.max(0, count as number)) }, () => ({
    type: 'compaction.completed',
    data: {
      strategy: 'truncate',
      covers: { from: 0, to: 0 },
      keptFrom: 1,
      tokensBefore: 0,
      tokensAfter: 0,
      by: 'auto',
      ...at(lastActivity),
    },
  }));
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
      ...at(message.timestamp),
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
          data: {
            callId,
            name: textOr(call.name, 'unknown'),
            args: isObject(call.args) ? { ...call.args } : {},
            ...at(call.timestamp),
          },
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
            trusted: false,
            ...at(call.timestamp),
          },
        },
      ],
    };
  });
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
