// The open ends at an event: the turn that has not ended, the answer that was streaming, and the tool calls without a
// result. A run that was killed leaves them; the next opening closes them (close-open-ends.ts). Also counts turns, for
// the number of the next.
import type { EventData, OllmEvent, OllmEventOf } from '../events/index.ts';
import type { Envelope, Fold } from '../projections/projection.ts';
import { type StreamedAnswer, withEvent } from '../projections/streamed.ts';

export interface OpenTurn {
  readonly number: number;
  /** RFC 3339. */
  readonly startedAt: string;
  /** The time of its newest event. */
  lastAt: string;
  /** Model requests that were answered in it. */
  steps: number;
  /** Id of the message that the last usage was reported on. */
  message?: string;
  /** A turn of another program: a missing end proves nothing, because few programs store one. */
  readonly isForeign?: true;
  /** Whether the last event of a foreign one is an answer that asks for nothing more. */
  isAnswered?: boolean;
}

export interface OpenCall {
  readonly callId: string;
  readonly name: string;
  readonly turn?: number | undefined;
  /** The event that asks for it. */
  readonly seq?: number | undefined;
  /** Absent until it is decided on. */
  decision?: 'allow' | 'deny';
  /** Whether it may have had an effect. */
  hasStarted?: true;
  /** A turn of another program, which does not record when a call begins to run. Each call of a turn has its number. */
  readonly isForeign?: true;
}

export interface OpenEndsState {
  /** The highest turn that any event names. */
  turns: number;
  turn?: OpenTurn | undefined;
  calls: OpenCall[];
  /** The answer that is streaming, as far as it was stored. */
  answer?: StreamedAnswer | undefined;
  /** How many files were about to be put back. */
  reverting?: number | undefined;
}

export const openEndsFold: Fold<OpenEndsState> = {
  name: 'open-ends',
  version: 9,
  reads: [
    'turn.started',
    'turn.ended',
    'message.streamed',
    'message.added',
    'branch.moved',
    'tool.requested',
    'tool.decided',
    'tool.started',
    'tool.finished',
    'usage.reported',
    'files.reverted',
  ],
  initial: () => ({ turns: 0, calls: [] }),
  see(state: OpenEndsState, envelope: Envelope): OpenEndsState {
    if (state.turn) state.turn.lastAt = envelope.ts;
    if (envelope.turn !== undefined && envelope.turn > state.turns) state.turns = envelope.turn;
    return state;
  },
  apply(state: OpenEndsState, event: OllmEvent): OpenEndsState {
    if (event.type === 'turn.started') {
      const number = event.turn ?? state.turns + 1;
      state.turns = Math.max(state.turns, number);
      state.turn = { number, startedAt: event.ts, lastAt: event.ts, steps: 0, ...foreign(event) };
    } else if (event.type === 'turn.ended') {
      state.turn = undefined;
    } else if (event.type === 'message.streamed' || event.type === 'branch.moved') {
      keepAnswer(state, event);
      if (event.type === 'branch.moved') leaveCalls(state, event.data.head);
    } else if (event.type === 'message.added') {
      keepAnswer(state, event);
      if (state.turn?.isForeign) state.turn.isAnswered = isWholeAnswer(event.data);
    } else if (event.type === 'tool.requested') {
      if (state.turn?.isForeign) state.turn.isAnswered = false;
      const { callId, name } = event.data;
      state.calls.push({ callId, name, turn: event.turn, seq: event.seq, ...foreignCall(event) });
    } else if (event.type === 'tool.decided') {
      const call = callOf(state, event.data.callId);
      if (call) call.decision = event.data.decision;
    } else if (event.type === 'tool.started') {
      const call = callOf(state, event.data.callId);
      if (call) call.hasStarted = true;
    } else if (event.type === 'tool.finished') {
      const at = state.calls.findIndex((call) => call.callId === event.data.callId);
      if (at >= 0) state.calls.splice(at, 1);
    } else if (event.type === 'files.reverted') {
      state.reverting = event.data.status === 'begun' ? event.data.files.length : undefined;
    } else if (event.type === 'usage.reported' && state.turn) {
      const { message } = event.data;
      if (message === undefined || message !== state.turn.message) state.turn.steps += 1;
      if (message !== undefined) state.turn.message = message;
    }
    return state;
  },
};

/** A call that was taken back has no end to wait for. */
function leaveCalls(state: OpenEndsState, head: number): void {
  state.calls = state.calls.filter(({ seq = -1 }) => seq <= head);
}

/** A state without an answer has no such member. */
function keepAnswer(state: OpenEndsState, event: Parameters<typeof withEvent>[1]): void {
  const answer = withEvent(state.answer, event);
  if (answer === undefined) delete state.answer;
  else state.answer = answer;
}

function foreign({ data }: { readonly data: { readonly origin?: object } }): { readonly isForeign?: true } {
  return data.origin === undefined ? {} : { isForeign: true };
}

function foreignCall(event: OllmEventOf<'tool.requested'>): { readonly isForeign?: true } {
  return event.turn === undefined ? { isForeign: true } : foreign(event);
}

function isWholeAnswer({ role, finish = 'stop', parts }: EventData<'message.added'>): boolean {
  return (
    role === 'assistant' &&
    ['stop', 'length', 'content-filter', 'other'].includes(finish) &&
    parts.some(({ type }) => type === 'text')
  );
}

/** The newest one with this id: models use an id twice. */
function callOf({ calls }: OpenEndsState, callId: string): OpenCall | undefined {
  return calls.findLast((call) => call.callId === callId);
}
