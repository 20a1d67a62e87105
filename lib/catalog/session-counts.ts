// Projection: what a session counts for in the numbers over all sessions: each request to a model, each turn and each
// tool call is one row, under a number that its copies in other sessions have too (forks, resumed sessions, imports).
// The owner takes the rows out after each batch.
import { hash } from 'node:crypto';
import type { EventData, OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import type { Fold } from '../projections/projection.ts';
import type { TakeOutSecrets } from './both-ends.ts';

export type CountKind = 'request' | 'turn' | 'call';

/** A later row with the same `record` takes the place of the earlier one. */
export interface CountRow {
  readonly record: number;
  readonly seq: number;
  readonly kind: CountKind;
  /** Milliseconds since 1970; 0 where it is not known. */
  readonly at: number;
  readonly model: string | undefined;
  readonly tool?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
  /** US dollars. */
  readonly cost?: number | undefined;
  /** Milliseconds that a call ran, or that the user waited for a turn. */
  readonly tookMs?: number | undefined;
  /** Milliseconds that the session waited for its user: before the turn, and in it for decisions. */
  readonly pausedMs?: number | undefined;
  readonly failed?: boolean | undefined;
}

interface OpenTurn {
  readonly record: number;
  readonly at: number;
  /** Begun by a message, in a session that has no events for turns. */
  readonly isImplied: boolean;
  /** When something happened in it last. */
  lastMs: number;
  tookMs: number;
  /** Undefined for the first turn of a session, before which it waited for no prompt. */
  pausedMs: number | undefined;
  /** The time that it waited for decisions, all of it. */
  decidingMs: number;
}

interface OpenCall {
  readonly callId: string;
  readonly record: number;
  readonly at: number;
  readonly tool: string;
  readonly model: string | undefined;
  /** Since when it waits for a decision. */
  readonly askedMs: number;
}

interface CountsState {
  rows: CountRow[];
  session: string;
  model?: string | undefined;
  turn?: OpenTurn | undefined;
  /** When the last turn ended. */
  endedMs?: number | undefined;
  /** When the user decided last. */
  decidedMs: number;
  calls: OpenCall[];
  lastRequest?: { readonly message: string; readonly row: CountRow } | undefined;
  /** Rows of the turn that goes on in a fork that has not had a request of its own yet: they may be copies. */
  held?: CountRow[] | undefined;
}

const READS = [
  'session.created',
  'model.changed',
  'turn.started',
  'message.added',
  'tool.requested',
  'tool.decided',
  'tool.finished',
  'usage.reported',
  'turn.ended',
] as const;

type Read = OllmEventOf<(typeof READS)[number]>;

/** A user who comes back after a longer pause had left. A longer gap in a turn is a machine that slept. */
const LONGEST_PAUSE_MS = 3_600_000;
const MAX_OPEN_CALLS = 64;
const INPUT_CHARACTERS = 200;
/** An id with a long random part has one bearer. Short ones, such as `call_1`, are given again and again. */
const RANDOM_ID = /(?=[A-Za-z]*\d)[A-Za-z\d]{16}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/u;
/** The provider that asks no model: its answers are in no figure about requests. */
const BUILT_IN_SEARCH = 'offline';
/** 52 bits: SQLite and JavaScript both have it as a whole number. */
const RECORD_DIGITS = 13;

/** Raised when the rows of the same events change. */
export const COUNTS_VERSION = 3;

export function countsFold({ clean }: { readonly clean: TakeOutSecrets }): Fold<CountsState, (typeof READS)[number]> {
  return {
    name: 'counts',
    version: COUNTS_VERSION,
    reads: READS,
    initial: () => ({ rows: [], session: '', decidedMs: 0, calls: [] }),
    apply(state, event) {
      const at = Date.parse(timeOf(event) ?? '') || 0;
      if (startsTurn(state, event)) beginTurn(state, event, { at, input: clean(inputOf(event)) });
      else seeActivity(state, event, at);
      switch (event.type) {
        case 'session.created':
          begin(state, event.data);
          break;
        case 'model.changed':
          state.model = event.data.model;
          break;
        case 'tool.requested':
          beginCall(state, event, at);
          break;
        case 'tool.decided':
          decide(state, event.data, at);
          break;
        case 'tool.finished':
          endCall(state, event, at);
          break;
        case 'usage.reported':
          addRequest(state, event, at);
          break;
        case 'turn.ended':
          endTurn(state, event);
          break;
      }
      return state;
    },
  };
}

/** What another program copied into a fork has no usage there: its records are counted where they were made. */
function begin(state: CountsState, { sessionId, model, origin }: EventData<'session.created'>): void {
  state.session = sessionId;
  state.model = model || undefined;
  if (origin?.parent !== undefined) state.held = [];
}

function add(state: CountsState, event: Read, row: CountRow): void {
  if (state.held === undefined || !('origin' in event.data)) state.rows.push(row);
  else state.held.push(row);
}

function startsTurn({ turn }: CountsState, event: Read): event is OllmEventOf<'turn.started' | 'message.added'> {
  if (event.type === 'turn.started') return true;
  if (event.type !== 'message.added' || event.data.role !== 'user' || event.data.synthetic) return false;
  return turn === undefined || turn.isImplied;
}

function inputOf({ type, data }: OllmEventOf<'turn.started' | 'message.added'>): string {
  if (type === 'turn.started') return data.input;
  return data.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function beginTurn(
  state: CountsState,
  event: OllmEventOf<'turn.started' | 'message.added'>,
  { at, input }: { readonly at: number; readonly input: string },
): void {
  const { turn: before } = state;
  if (before !== undefined) {
    addTurn(state, event, before);
    state.endedMs = before.lastMs || undefined;
  }
  if (state.held !== undefined) state.held = [];
  const record = recordOf(state, event, { kind: 'turn', id: input.slice(0, INPUT_CHARACTERS), at });
  const pausedMs = state.endedMs === undefined ? undefined : pauseBetween(state.endedMs, at);
  const isImplied = event.type === 'message.added';
  state.turn = { record, at, isImplied, lastMs: at, tookMs: 0, pausedMs, decidingMs: 0 };
  addTurn(state, event, state.turn);
}

function addTurn(
  state: CountsState,
  event: Read,
  { record, at, tookMs, pausedMs }: OpenTurn,
  failed?: boolean | undefined,
): void {
  const { seq } = event;
  // A program may say only with the answer which model it asked.
  const { model } = state;
  add(state, event, { record, seq, kind: 'turn', at, model, tookMs: tookMs || undefined, pausedMs, failed });
}

/** The time of a turn is that between what happened in it: the last of it may be hours before the program says so. */
function seeActivity({ turn }: CountsState, { type }: Read, at: number): void {
  if (turn === undefined || at === 0 || type === 'turn.ended') return;
  turn.tookMs += pauseBetween(turn.lastMs, at) ?? 0;
  turn.lastMs = Math.max(turn.lastMs, at);
}

function endTurn(state: CountsState, event: OllmEventOf<'turn.ended'>): void {
  const { turn } = state;
  const { status, durationMs } = event.data;
  if (turn === undefined) return;
  const tookMs = Math.max(0, (durationMs ?? turn.tookMs) - turn.decidingMs);
  addTurn(state, event, { ...turn, tookMs }, status === 'failed');
  state.endedMs = turn.lastMs || undefined;
  state.turn = undefined;
  if (state.held !== undefined) state.held = [];
}

function beginCall(state: CountsState, event: OllmEventOf<'tool.requested'>, at: number): void {
  const { callId, name: tool } = event.data;
  const record = recordOf(state, event, { kind: 'call', id: callId, at });
  const { model } = state;
  state.calls.push({ callId, record, at, tool, model, askedMs: at });
  if (state.calls.length > MAX_OPEN_CALLS) state.calls.shift();
  add(state, event, { record, seq: event.seq, kind: 'call', at, tool, model });
}

/** Decisions on calls that were asked for together are made one after the other. */
function decide(state: CountsState, { callId, by }: EventData<'tool.decided'>, at: number): void {
  const call = state.calls.findLast((each) => each.callId === callId);
  if (by !== 'user' || state.turn === undefined || call === undefined || at === 0) return;
  const since = Math.max(call.askedMs, state.decidedMs);
  state.decidedMs = at;
  if (since === 0 || at < since) return;
  state.turn.decidingMs += at - since;
  const pause = pauseBetween(since, at);
  if (pause !== undefined) state.turn.pausedMs = (state.turn.pausedMs ?? 0) + pause;
}

function endCall(state: CountsState, event: OllmEventOf<'tool.finished'>, at: number): void {
  const { callId, status, durationMs } = event.data;
  const call = state.calls.findLast((each) => each.callId === callId);
  if (call === undefined) return;
  state.calls = state.calls.filter((each) => each !== call);
  const { record, tool, model } = call;
  const tookMs = durationMs ?? pauseBetween(call.at, at);
  const failed = status === 'error' || status === 'timeout';
  add(state, event, { record, seq: event.seq, kind: 'call', at: call.at, tool, model, tookMs, failed });
  if (state.turn !== undefined) addTurn(state, event, state.turn);
}

function addRequest(state: CountsState, event: OllmEventOf<'usage.reported'>, at: number): void {
  const { inputTokens, outputTokens, cachedTokens, source, totalCost, message, model, provider } = event.data;
  const before = message !== undefined && state.lastRequest?.message === message ? state.lastRequest.row : undefined;
  const id = message ?? `${inputTokens} ${outputTokens}`;
  const row: CountRow = {
    record: before?.record ?? recordOf(state, event, { kind: 'request', id, at }),
    seq: event.seq,
    kind: 'request',
    at: before?.at ?? at,
    model: model || state.model,
    // An estimate is not a figure of the program.
    ...(source === 'provider' && { inputTokens, outputTokens, cachedTokens }),
    cost: totalCost ?? before?.cost,
  };
  state.rows.push(...(state.held ?? []), ...(provider === BUILT_IN_SEARCH ? [] : [row]));
  state.held = undefined;
  state.lastRequest = message === undefined ? undefined : { message, row };
  if (state.turn !== undefined) addTurn(state, event, state.turn);
}

/** Undefined where it is too long for one, or a time is not known. */
function pauseBetween(from: number, to: number): number | undefined {
  const ms = to - from;
  return from > 0 && to > 0 && ms >= 0 && ms <= LONGEST_PAUSE_MS ? ms : undefined;
}

function recordOf(
  { session }: CountsState,
  { seq }: Read,
  { kind, id, at }: { readonly kind: CountKind; readonly id: string; readonly at: number },
): number {
  const place = kind !== 'turn' && RANDOM_ID.test(id) ? '' : at === 0 ? `${session} ${seq}` : at;
  return Number.parseInt(hash('sha256', `${kind} ${place} ${id}`).slice(0, RECORD_DIGITS), 16);
}
