// A session's events as messages in the one form of every program: what a person would see in a chat.
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';
import { decodeEvent } from '../../events/decode.ts';
import type { EventData, OllmEvent } from '../../events/index.ts';
import { timeOf } from '../../events/time-of.ts';
import type { SessionEvent } from '../../journal/types.ts';
import type { Part } from '../../messages/index.ts';

export type UnifiedMessage = FromSchema<typeof SHAPES.Message>;

interface Whose {
  readonly provider: string;
  readonly sessionId: string;
}

type Said = Omit<UnifiedMessage, 'timestamp' | 'provider' | 'sessionId' | 'seq'>;

/** Tools by which agents keep a list of tasks. */
const TASK_TOOLS =
  /^(?:TodoWrite|TodoRead|TaskCreate|TaskUpdate|update_plan|write_todos|todo_write|todowrite|CreatePlan)$/;
/** Of these the last call is how far the work has come. */
const WITHOUT_PROGRESS = 'CreatePlan';

/** Events that are no part of the conversation give none. */
export function messagesOf(events: readonly SessionEvent[], { provider, sessionId }: Whose): UnifiedMessage[] {
  return events.flatMap((stored) => {
    const decoded = decodeEvent(stored);
    if (decoded.kind !== 'known') return [];
    const { event } = decoded;
    const timestamp = timeOf(event);
    return saidIn(event).map((said) => ({ seq: event.seq, timestamp, provider, sessionId, ...said }));
  });
}

function saidIn(event: OllmEvent): readonly Said[] {
  switch (event.type) {
    case 'session.created':
      return [{ type: 'session_started', sessionStatus: 'STARTED' }];
    case 'session.closed':
      return [{ type: 'session_completed', sessionStatus: 'COMPLETED' }];
    case 'message.added':
      return event.data.role === 'user' ? [userMessage(event.data)] : answerOf(event.data.role, event.data.parts);
    case 'tool.requested': {
      const { name, callId, args } = event.data;
      if (!TASK_TOOLS.test(name)) return [{ type: 'tool_use_request', toolName: name, toolCallId: callId, data: args }];
      const progress = name === WITHOUT_PROGRESS ? {} : { has_progress_indicator: true };
      return [{ type: 'todo_task_list', toolName: name, toolCallId: callId, data: args, ...progress }];
    }
    case 'tool.finished': {
      const { callId, status, result } = event.data;
      const isGood = status === 'ok';
      return [
        {
          type: isGood ? 'tool_call_success' : 'tool_call_error',
          toolCallId: callId,
          status: isGood ? 'success' : 'error',
          text: result.llmContent,
          ...imagesIn(result.images ?? []),
        },
      ];
    }
    case 'turn.ended':
      return endOf(event.data);
    default:
      return [];
  }
}

function userMessage({ parts, synthetic }: EventData<'message.added'>): Said {
  return { type: 'user_message', text: textIn(parts), ...imagesIn(parts), ...(synthetic ? { synthetic } : {}) };
}

function answerOf(role: 'system' | 'assistant', parts: readonly Part[]): readonly Said[] {
  if (role === 'system') return [];
  return parts.flatMap((part): Said[] => {
    if (part.type === 'reasoning') return part.text ? [{ type: 'thinking_message', text: part.text }] : [];
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'assistant_message', text: part.text }];
    return [{ type: 'assistant_message', ...imagesIn([part]) }];
  });
}

function endOf({
  status,
  error,
}: {
  readonly status: string;
  readonly error?: { readonly message: string };
}): readonly Said[] {
  const failed: Said[] = error ? [{ type: 'assistant_error_message', text: error.message }] : [];
  const isStopped = status === 'cancelled' || status === 'interrupted';
  return isStopped ? [...failed, { type: 'session_interrupted', sessionStatus: 'SESSION_ABORTED' }] : failed;
}

function textIn(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function imagesIn(parts: readonly Part[]): Pick<Said, 'images'> {
  const images = parts.flatMap((part) =>
    part.type === 'image' ? [{ mediaType: part.mediaType, hash: part.blob }] : [],
  );
  return images.length > 0 ? { images } : {};
}
