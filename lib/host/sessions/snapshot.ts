// The state of a session, derived only from its journal: folds over the events of its newest turn and over its queue,
// and its row in lists. The same before and after a restart. This host adds only whether a user is asked, which prompts
// waited before that turn, and why a prompt became no turn. The last transition always leads to the status.
import { decodeEvent } from '../../events/decode.ts';
import type { EventData, OllmEventOf } from '../../events/index.ts';
import type { JsonObject, SessionEvent } from '../../journal/types.ts';
import { defined } from '../../platform/json.ts';
import { type QueueState, queueFold } from '../../projections/queue.ts';
import type { SummaryRow } from '../../projections/summary.ts';
import type { SessionSnapshot, SnapshotOf } from '../port/snapshots.ts';

export interface SnapshotFacts extends Omit<SnapshotOf, 'id'> {
  readonly summary: SummaryRow;
  /** Events from the beginning of the newest turn to the end of the journal; all events where no turn ever began. */
  readonly events: readonly SessionEvent[];
  /** Seq of the last event. */
  readonly seq: number;
  /** Whether a process leads the session now. */
  readonly isLed: boolean;
}

const MOST_EVENTS = 2_000;
const INTERRUPTED = 'INTERRUPTED: the turn ended with the program that led it.';

type Status = SessionSnapshot['status'];
type Transition = SessionSnapshot['transitions'][number];
type SnapshotEvent = SessionSnapshot['events'][number];

export function snapshotOf(facts: SnapshotFacts): SessionSnapshot {
  const { summary, events, seq, instanceId } = facts;
  const turn = foldTurn(events);
  const { status, startedAt, endedAt, transitions, error } = currentOf(facts, turn);
  return {
    sessionId: summary.id,
    provider: 'ollm',
    family: 'sdk',
    status,
    startedAt: startedAt ?? summary.startTime,
    ...defined({ endedAt }),
    answerer: summary.provider,
    ...(summary.model === '' ? {} : { model: summary.model }),
    ...defined({ thinkingMode: summary.thinking, workspacePath: summary.cwd, title: summary.title, instanceId }),
    transitions,
    events: (turn.startedAt === undefined ? [] : events).slice(-MOST_EVENTS).map(snapshotEvent),
    ...defined({ error }),
    seq,
  };
}

type Current = Pick<SessionSnapshot, 'status' | 'transitions' | 'endedAt' | 'error'> & {
  readonly startedAt?: string | undefined;
};

/**
 * An open turn goes first, then a prompt that waits for a server, then one that could not begin. A prompt that awaits
 * its user is begun at a terminal, so that it does not make the session `starting`.
 */
function currentOf({ events, isLed, activity, waiting, problem, instanceId }: SnapshotFacts, turn: TurnFold): Current {
  const { startedAt, endedAt, transitions } = turn;
  if (turn.status === 'running') {
    const status: Status = !isLed ? 'failed' : activity.kind === 'waiting' ? 'waiting' : 'running';
    // No event states when a process was killed: it lived until the last one.
    const at = status === 'waiting' ? ([...turn.undecided.values()].at(-1) ?? events.at(-1)!.ts) : events.at(-1)!.ts;
    const error = status === 'failed' ? INTERRUPTED : undefined;
    return { status, startedAt, transitions: endingWith(transitions, { status, at }), error };
  }
  const next = instanceId === undefined ? undefined : waitingIn(events, waiting)[0];
  if (next !== undefined) {
    const { queuedAt: at } = next;
    return { status: 'starting', startedAt: at, transitions: [{ status: 'starting', at }] };
  }
  // A refusal that is stored has come after it.
  if (problem !== undefined && !(turn.refusedAt !== undefined && turn.refusedAt >= problem.at)) {
    const { code, message, at } = problem;
    return { status: 'failed', startedAt, transitions: [{ status: 'failed', at }], error: `${code}: ${message}` };
  }
  return { status: turn.status, startedAt, endedAt, transitions, error: turn.error };
}

function waitingIn(events: readonly SessionEvent[], known: SnapshotFacts['waiting'] = []) {
  let state: QueueState = { prompts: known.map((prompt) => ({ ...prompt, text: '' })) };
  for (const stored of events) {
    if (!queueFold.reads.some((type) => type === stored.type)) continue;
    const { kind, event } = decodeEvent(stored);
    if (kind === 'known') state = queueFold.apply(state, event as OllmEventOf<'queue.changed' | 'message.added'>);
  }
  return state.prompts.filter(({ awaits }) => awaits === undefined);
}

function endingWith(transitions: readonly Transition[], last: Transition): readonly Transition[] {
  return transitions.at(-1)?.status === last.status ? transitions : [...transitions, last];
}

interface TurnFold {
  status: Status;
  /** When each call was asked for that is not decided on. */
  readonly undecided: Map<unknown, string>;
  startedAt?: string;
  endedAt?: string;
  /** When it was stored that a prompt after this turn could have none. */
  refusedAt?: string;
  error?: string;
  readonly transitions: { readonly status: Status; readonly at: string }[];
}

/** It waited from the request of each call that a user decided on to that decision. */
function foldTurn(events: readonly SessionEvent[]): TurnFold {
  const fold: TurnFold = { status: 'completed', undecided: new Map(), transitions: [] };
  const move = (status: Status, at: string): void => {
    if (fold.transitions.at(-1)?.status !== status) fold.transitions.push({ status, at });
    fold.status = status;
  };
  for (const { type, ts, data } of events) {
    if (type === 'turn.started') {
      fold.startedAt = ts;
      move('running', ts);
    }
    if (type === 'tool.requested') fold.undecided.set(data.callId, ts);
    if (type === 'tool.decided') {
      const asked = fold.undecided.get(data.callId);
      if (asked !== undefined && data.by === 'user') {
        move('waiting', later(asked, fold.transitions.at(-1)?.at));
        move('running', ts);
      }
      fold.undecided.delete(data.callId);
    }
    if (type === 'queue.changed') refuse(fold, ts, data as EventData<'queue.changed'>);
    if (type !== 'turn.ended') continue;
    fold.endedAt = ts;
    const error = data.error as { readonly code?: string; readonly message?: string } | undefined;
    if (error !== undefined) fold.error = `${error.code}: ${error.message}`;
    else if (data.status === 'interrupted') fold.error = INTERRUPTED;
    else if (data.status !== 'completed' && data.status !== 'cancelled') fold.error = `It was stopped: ${data.status}.`;
    move(ENDS[data.status as string] ?? 'failed', ts);
  }
  return fold;
}

/** A prompt after the newest turn could have no turn. While a turn runs, its status stays. */
function refuse(fold: TurnFold, ts: string, { errors = [] }: EventData<'queue.changed'>): void {
  const last = errors.at(-1);
  if (last === undefined || fold.status === 'running') return;
  fold.status = 'failed';
  fold.refusedAt = ts;
  delete fold.endedAt;
  fold.error = `${last.code}: ${last.message}`;
  fold.transitions.splice(0, Number.POSITIVE_INFINITY, { status: 'failed', at: ts });
}

/** Both RFC 3339 in UTC, as journals have them. */
function later(one: string, other: string | undefined): string {
  return other === undefined || one > other ? one : other;
}

const ENDS: Readonly<Record<string, Status>> = { completed: 'completed', cancelled: 'stopped' };

function snapshotEvent({ seq, ts, type, turn, data }: SessionEvent): SnapshotEvent {
  const stored: JsonObject = { seq, ts, type, turn, data };
  if (type === 'turn.ended' && data.status === 'cancelled') {
    return { timestamp: ts, channel: 'system', message: 'Session stop requested.', data: stored };
  }
  if (type === 'model.changed') {
    return {
      timestamp: ts,
      channel: 'system',
      message: `Model: ${data.model}${data.thinking === undefined ? '' : `, thinking ${data.thinking}`}.`,
      data: stored,
    };
  }
  const { message } = (data.error ?? {}) as { readonly message?: unknown };
  if (typeof message === 'string') return { timestamp: ts, channel: 'error', message, data: stored };
  return { timestamp: ts, channel: 'sdk', data: stored };
}
