// The conversation as messages in the one form of every program, as a chat shows them.
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';
import { decodeEvent } from '../../events/decode.ts';
import type { EventData } from '../../events/index.ts';
import type { SessionEvent } from '../../journal/types.ts';
import type { Part, Role } from '../../messages/index.ts';
import {
  addEvent,
  type ConversationItem,
  type ConversationMessage,
  emptyConversation,
  type OtherEvent,
  partsOf,
} from '../../projections/conversation.ts';

type UnifiedMessage = FromSchema<typeof SHAPES.Message>;

interface Whose {
  readonly provider: string;
  readonly sessionId: string;
}

type SaidMessage = Omit<UnifiedMessage, 'provider' | 'sessionId'>;
type Content = Omit<SaidMessage, 'timestamp' | 'seq'>;

/** Tools by which agents keep a list of tasks. */
const TASK_TOOLS =
  /^(?:TodoWrite|TodoRead|TaskCreate|TaskUpdate|update_plan|write_todos|todo_write|todowrite|CreatePlan)$/;
/** In such a message, the last call shows the progress of the work. */
const WITHOUT_PROGRESS = 'CreatePlan';

/** Events that are not part of the conversation give none. */
export function messagesOf(events: readonly SessionEvent[], whose: Whose): UnifiedMessage[] {
  const conversation = emptyConversation();
  for (const stored of events) {
    const decoded = decodeEvent(stored);
    if (decoded.kind === 'known') addEvent(conversation, decoded.event);
  }
  const { items } = conversation;
  const repeated = repeatedEnds(items);
  const messages = items
    .filter((item) => !repeated.has(item.seq))
    .flatMap((item) => saidIn(item, items).map((said) => ({ ...said, ...whose })));
  // A result has the place of its own event.
  return messages.sort((one, other) => one.seq - other.seq);
}

function saidIn(item: ConversationItem, items: readonly ConversationItem[]): readonly SaidMessage[] {
  const place = { seq: item.seq, timestamp: item.ts };
  switch (item.kind) {
    case 'message':
      if (item.data.role === 'user') return [{ ...place, ...userMessage(item.data, partsOf(item)) }];
      return item.pieces.flatMap(({ seq, ts, parts }) =>
        answerOf(item.data.role, parts).map((said) => ({ seq, timestamp: ts, ...said })),
      );
    case 'replaced':
      return replacedBy(item.parts, messageAt(items, item.of)).map((said) => ({ ...place, ...said }));
    case 'call': {
      const { request, end, late } = item;
      return [
        ...(request === undefined || late !== undefined ? [] : [{ ...place, ...requestOf(request) }]),
        ...(end === undefined ? [] : [{ seq: end.seq, timestamp: end.ts, ...resultOf(end) }]),
      ];
    }
    case 'fact':
      return factOf(item.event).map((said) => ({ ...place, ...said }));
    case 'turn':
    case 'compaction':
      return [];
  }
}

function factOf(event: OtherEvent): readonly Content[] {
  switch (event.type) {
    case 'session.created':
      return [{ type: 'session_started', sessionStatus: 'STARTED' }];
    case 'session.closed':
      return [{ type: 'session_completed', sessionStatus: 'COMPLETED' }];
    case 'turn.ended':
      return endOf(event.data);
    case 'run.partial': {
      const { kind, text } = event.data;
      return [{ type: kind === 'text' ? 'assistant_message' : 'thinking_message', text }];
    }
    case 'run.status': {
      const { to, error, reason } = event.data;
      if (reason === 'interrupted') return endOf({ status: reason });
      return to === 'stopped' ? endOf({ status: 'cancelled' }) : endOf({ status: to, ...(error && { error }) });
    }
    default:
      return [];
  }
}

/**
 * The ends of turns that come twice: the run stored one, and the file of its agent has it too, sometimes only with its
 * next turn. The second one is left out.
 */
function repeatedEnds(items: readonly ConversationItem[]): ReadonlySet<number> {
  const repeated = new Set<number>();
  let saidBy: 'file' | 'run' | undefined;
  for (const item of items) {
    if (item.kind !== 'fact') continue;
    const { type, data } = item.event;
    const by = type === 'turn.ended' ? 'file' : 'run';
    const isEnd = type === 'turn.ended' ? data.status !== 'completed' : type === 'run.status' && hasBrokenOff(data.to);
    if (isEnd && saidBy !== undefined && saidBy !== by) {
      repeated.add(item.seq);
      saidBy = undefined;
    } else if (isEnd) saidBy = by;
    else if (type === 'turn.ended' || (type === 'run.status' && saidBy === 'file' && data.from !== 'waiting')) {
      saidBy = undefined;
    }
  }
  return repeated;
}

function hasBrokenOff(status: string): boolean {
  return status === 'failed' || status === 'stopped';
}

function requestOf({ name, callId, args }: EventData<'tool.requested'>): Content {
  if (!TASK_TOOLS.test(name)) return { type: 'tool_use_request', toolName: name, toolCallId: callId, data: args };
  const progress = name === WITHOUT_PROGRESS ? {} : { has_progress_indicator: true };
  return { type: 'todo_task_list', toolName: name, toolCallId: callId, data: args, ...progress };
}

function resultOf({ callId, status, result }: EventData<'tool.finished'>): Content {
  const isGood = status === 'ok';
  return {
    type: isGood ? 'tool_call_success' : 'tool_call_error',
    toolCallId: callId,
    status: isGood ? 'success' : 'error',
    text: result.llmContent,
    ...imagesIn(result.images ?? []),
  };
}

function userMessage({ synthetic }: EventData<'message.added'>, parts: readonly Part[]): Content {
  return { type: 'user_message', text: textIn(parts), ...imagesIn(parts), ...(synthetic ? { synthetic } : {}) };
}

function answerOf(role: Role, parts: readonly Part[]): readonly Content[] {
  if (role === 'system') return [];
  return parts.flatMap((part): Content[] => {
    if (part.type === 'reasoning') return part.text ? [{ type: 'thinking_message', text: part.text }] : [];
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'assistant_message', text: part.text }];
    return [{ type: 'assistant_message', ...imagesIn([part]) }];
  });
}

/** The later form of a message of these. */
function replacedBy(parts: readonly Part[], message: ConversationMessage | undefined): readonly Content[] {
  if (message === undefined) return [];
  const { data, seq } = message;
  const said = data.role === 'user' ? [userMessage(data, parts)] : answerOf(data.role, parts);
  return said.map((content) => ({ ...content, replaces: seq }));
}

function messageAt(items: readonly ConversationItem[], seq: number | undefined): ConversationMessage | undefined {
  const found = items.find((item) => item.kind === 'message' && item.seq === seq);
  return found?.kind === 'message' ? found : undefined;
}

function endOf({
  status,
  error,
}: {
  readonly status: string;
  readonly error?: { readonly message: string };
}): readonly Content[] {
  const failed: Content[] = error ? [{ type: 'assistant_error_message', text: error.message }] : [];
  const isStopped = status === 'cancelled' || status === 'interrupted';
  return isStopped ? [...failed, { type: 'session_interrupted', sessionStatus: 'SESSION_ABORTED' }] : failed;
}

function textIn(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function imagesIn(parts: readonly Part[]): Pick<Content, 'images'> {
  const images = parts.flatMap((part) =>
    part.type === 'image' ? [{ mediaType: part.mediaType, hash: part.blob }] : [],
  );
  return images.length > 0 ? { images } : {};
}
