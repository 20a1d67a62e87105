// From the events of a session to the spans of its turns. Spans of one turn are handed out when it ends, those of a
// long turn in groups before: no more than a few hundred are in memory.
import type { EventData, OllmEvent, OllmEventOf } from '../../events/index.ts';
import { timeOf } from '../../events/time-of.ts';
import { addEvent, type ConversationCall, emptyConversation, takeSettled } from '../../projections/conversation.ts';
import { type Attributes, modelAttributes, usageAttributes } from './attributes.ts';
import { answerMessages, cutText, promptMessages } from './contents.ts';
import type { OperationSpan } from './span.ts';

interface SpanOptions {
  /** Whether texts, arguments and results are included. Default: no. */
  readonly contents?: boolean | undefined;
  /** UTF-16 units of one text at most. Default: all of it. */
  readonly maxContent?: number | undefined;
  /** Facts of the session, where the events do not begin with `session.created`. */
  readonly session?: { readonly id: string; readonly provider: string; readonly model: string } | undefined;
  /** Whether the event was undone. */
  readonly isUndone?: ((seq: number) => boolean) | undefined;
}

/** Takes in event after event. */
interface TurnSpans {
  /** The spans that are complete after this event. */
  take(event: OllmEvent): readonly OperationSpan[];
  /** The spans of a turn that has no end. */
  end(): readonly OperationSpan[];
  /** Number of turns without a span, since their time is not known. */
  readonly withoutTime: number;
}

type Draft<Of> = { -readonly [Member in keyof Of]: Of[Member] };
interface SpanDraft extends Draft<OperationSpan> {
  attributes: Attributes;
}

interface OpenTurn {
  readonly span: SpanDraft;
  /** Spans that ended, in the order of their beginnings. */
  readonly ended: SpanDraft[];
  /** The answer that more pieces, calls and its usage may belong to. */
  chat: (SpanDraft & { message?: string | undefined }) | undefined;
  /** The last chat that has no usage yet. */
  uncounted: SpanDraft | undefined;
  /** When the model could begin to answer. */
  readyMs: number;
  readonly sums: Record<string, number>;
}

const MAX_ENDED = 512;

/**
 * @example
 * const spans = turnSpans();
 * for (const event of events) for (const span of spans.take(event)) console.log(span.operation, span.endMs);
 */
export function turnSpans(options: SpanOptions = {}): TurnSpans {
  const { isUndone = () => false } = options;
  const session: Attributes = {
    'gen_ai.conversation.id': options.session?.id,
    'gen_ai.agent.name': options.session && 'ollm',
  };
  let names = { provider: '', model: '', ...options.session };
  let turn: OpenTurn | undefined;
  let withoutTime = 0;
  /** Joins calls with their decisions and results. */
  const conversation = emptyConversation();

  function draft(
    { seq }: { readonly seq: number },
    operation: SpanDraft['operation'],
    { turnSeq, startMs, subject }: Pick<SpanDraft, 'turnSeq' | 'startMs' | 'subject'>,
  ): SpanDraft {
    const attributes: Attributes = {
      'gen_ai.operation.name': operation,
      ...session,
      'ollm.seq': seq,
      'ollm.undone': isUndone(seq) || undefined,
    };
    return { operation, seq, turnSeq, subject, startMs, endMs: startMs, attributes };
  }

  function takeFacts(event: OllmEvent): void {
    if (event.type === 'session.created') {
      const { sessionId, origin } = event.data;
      session['gen_ai.conversation.id'] = sessionId;
      session['gen_ai.agent.name'] = origin?.agent ?? 'ollm';
    }
    if (event.type === 'session.created' || event.type === 'model.changed') {
      const { provider, model } = event.data;
      names = { provider, model };
    }
  }

  function begin(event: OllmEventOf<'turn.started'>): void {
    const startMs = msOf(timeOf(event));
    if (startMs === undefined) {
      withoutTime += 1;
      return;
    }
    const span = draft(event, 'invoke_agent', { turnSeq: event.seq, startMs, subject: undefined });
    Object.assign(span.attributes, modelAttributes(names), { 'ollm.turn': event.turn });
    if (options.contents)
      span.attributes['gen_ai.input.messages'] = promptMessages(event.data.input, options.maxContent);
    turn = { span, ended: [], chat: undefined, uncounted: undefined, readyMs: startMs, sums: {} };
  }

  function finish(open: OpenTurn, endMs: number, facts: Pick<SpanDraft, 'error'> & { status: string }): SpanDraft[] {
    closeChat(open);
    takeCalls({ all: true });
    const { span } = open;
    span.endMs = Math.max(endMs, span.endMs);
    span.error = facts.error;
    span.attributes['ollm.turn.status'] = facts.status;
    Object.assign(span.attributes, open.sums);
    turn = undefined;
    return [...open.ended, span];
  }

  function closeChat(open: OpenTurn): void {
    if (open.chat === undefined) return;
    open.ended.push(open.chat);
    open.chat = undefined;
  }

  /** The chat that the event is a piece of. */
  function chatFor(
    open: OpenTurn,
    event: OllmEvent,
    {
      message,
      model,
      provider,
    }: { message?: string | undefined; model?: string | undefined; provider?: string | undefined },
  ): NonNullable<OpenTurn['chat']> {
    const endMs = msOf(timeOf(event)) ?? open.readyMs;
    const known = open.chat;
    if (known !== undefined && known.message === message) {
      known.endMs = Math.max(known.endMs, endMs);
      return known;
    }
    closeChat(open);
    const answered = { provider: provider || names.provider, model: model || names.model };
    const span: NonNullable<OpenTurn['chat']> = draft(event, 'chat', {
      turnSeq: open.span.seq,
      startMs: Math.min(open.readyMs, endMs),
      subject: answered.model || undefined,
    });
    Object.assign(span.attributes, modelAttributes(answered));
    span.endMs = endMs;
    span.message = message;
    open.chat = span;
    open.uncounted = span;
    return span;
  }

  function takeInTurn(open: OpenTurn, event: OllmEvent): void {
    const ms = msOf(timeOf(event));
    if (ms !== undefined) open.span.endMs = Math.max(open.span.endMs, ms);
    switch (event.type) {
      case 'message.added': {
        const { role, parts, finish: reason, message, model, provider } = event.data;
        if (role !== 'assistant') {
          closeChat(open);
          if (ms !== undefined) open.readyMs = Math.max(open.readyMs, ms);
          return;
        }
        const chat = chatFor(open, event, { message, model, provider });
        if (reason !== undefined) {
          chat.attributes['gen_ai.response.finish_reasons'] = [reason];
          if (reason === 'failed' || reason === 'cancelled') chat.error = { type: reason };
        }
        if (options.contents) {
          const before = chat.attributes['gen_ai.output.messages'];
          chat.attributes['gen_ai.output.messages'] = answerMessages(before, { parts, reason }, options.maxContent);
        }
        return;
      }
      case 'usage.reported': {
        const { purpose, message, source, totalCost } = event.data;
        if (purpose === 'summary') {
          const span = draft(event, 'chat', {
            turnSeq: open.span.seq,
            startMs: ms ?? open.readyMs,
            subject: event.data.model,
          });
          Object.assign(span.attributes, modelAttributes(event.data), usageAttributes(event.data), {
            'ollm.purpose': purpose,
          });
          open.ended.push(span);
        } else if (source === 'provider') {
          const chat = open.uncounted ?? chatFor(open, event, { ...event.data, message });
          Object.assign(chat.attributes, usageAttributes(event.data));
          open.uncounted = undefined;
        }
        if (source === 'provider') addSums(open.sums, { ...usageAttributes(event.data), 'ollm.cost_usd': totalCost });
        return;
      }
      case 'tool.requested': {
        const { message } = event.data;
        // Some programs store no message for an answer that only calls.
        if (open.chat === undefined || open.chat.message !== message) chatFor(open, event, { message });
        return;
      }
      case 'tool.finished':
        closeChat(open);
        if (ms !== undefined) open.readyMs = Math.max(open.readyMs, ms);
        return;
      case 'loop.detected':
        open.span.attributes['ollm.loop'] = event.data.pattern;
        return;
      default:
    }
  }

  /** Calls whose end came after their turn are spans of that turn already. */
  function takeCalls({ all = false } = {}): void {
    for (const item of takeSettled(conversation, { all })) {
      const isCall = item.kind === 'call' && item.request !== undefined && item.late === undefined;
      if (isCall && turn !== undefined && item.seq > turn.span.seq) turn.ended.push(spanOf(turn, item));
    }
  }

  function spanOf({ span: { seq: turnSeq }, readyMs }: OpenTurn, call: ConversationCall): SpanDraft {
    const { callId, request, decision, start, end } = call;
    const startMs = msOf(start?.ts) ?? msOf(call.ts) ?? readyMs;
    const span = draft(call, 'execute_tool', { turnSeq, startMs, subject: request?.name });
    if (end === undefined) span.error = { type: 'unknown', message: 'It has no result.' };
    else {
      span.endMs = Math.max(startMs, msOf(end.ts) ?? startMs + (end.durationMs ?? 0));
      if (end.status !== 'ok') span.error = { type: end.status };
    }
    const contents = options.contents && {
      'gen_ai.tool.call.arguments': cutText(JSON.stringify(request?.args), options.maxContent),
      'gen_ai.tool.call.result': end && cutText(end.result.llmContent, options.maxContent),
    };
    Object.assign(span.attributes, {
      'gen_ai.tool.name': request?.name,
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.type': 'function',
      'ollm.decision': decision?.decision,
      'ollm.decision.by': decision?.by,
      'ollm.sandbox': start?.sandbox,
      'ollm.subagent': start?.subagent,
      ...contents,
    });
    return span;
  }

  return {
    take(event) {
      takeFacts(event);
      addEvent(conversation, event, isUndone);
      if (event.type === 'turn.started') {
        const before = turn ? finish(turn, turn.span.endMs, UNFINISHED) : [];
        begin(event);
        return before;
      }
      if (turn === undefined) {
        takeCalls();
        return [];
      }
      if (event.type === 'turn.ended') return finish(turn, msOf(timeOf(event)) ?? turn.span.endMs, endOf(event.data));
      takeInTurn(turn, event);
      takeCalls();
      return turn.ended.length < MAX_ENDED ? [] : turn.ended.splice(0);
    },
    end: () => (turn ? finish(turn, turn.span.endMs, UNFINISHED) : []),
    get withoutTime() {
      return withoutTime;
    },
  };
}

function msOf(ts: string | undefined): number | undefined {
  const ms = Date.parse(ts ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

const UNFINISHED = { status: 'unfinished', error: undefined };

function endOf({ status, error }: EventData<'turn.ended'>): Pick<SpanDraft, 'error'> & { status: string } {
  if (status === 'completed') return { status, error: undefined };
  return { status, error: { type: error?.code ?? status, message: error?.message } };
}

function addSums(sums: Record<string, number>, more: Readonly<Record<string, number | undefined>>): void {
  for (const [name, count] of Object.entries(more)) if (count !== undefined) sums[name] = (sums[name] ?? 0) + count;
}
