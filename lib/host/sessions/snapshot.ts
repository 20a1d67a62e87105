// How a session is, from its journal alone: a fold over the events of its last turn, and the row that lists have. The
// same before and after a restart. What this process knows besides (a turn that runs, a question) is laid over it.
import type { JsonObject, SessionEvent } from '../../journal/types.ts';
import type { SummaryRow } from '../../projections/summary.ts';
import type { SessionActivity, SessionSnapshot, SnapshotEvent, SnapshotOf } from '../port/snapshots.ts';

export interface SnapshotFacts extends Omit<SnapshotOf, 'id'> {
  readonly summary: SummaryRow;
  /** Of the last turn, from its beginning, with all that was stored after it; none where no turn ever began. */
  readonly events: readonly SessionEvent[];
  /** Seq of the last event of the journal. */
  readonly seq: number;
  /** Whether a process leads the session now. */
  readonly isLed: boolean;
}

const MOST_EVENTS = 2_000;
const INTERRUPTED = 'INTERRUPTED: the turn ended with the program that led it.';

type Status = SessionSnapshot['status'];

export function snapshotOf({
  summary,
  events,
  seq,
  isLed,
  activity,
  problem,
  instanceId,
}: SnapshotFacts): SessionSnapshot {
  const turn = foldTurn(events);
  const led: Status | undefined =
    activity.kind === 'running' || activity.kind === 'waiting' ? activity.kind : undefined;
  const isOpen = turn.status === 'running';
  const isLost = isOpen && !isLed;
  const hasFailed = isLost || problem !== undefined;
  const status = led === undefined ? (hasFailed ? 'failed' : turn.status) : isOpen ? led : 'starting';
  const error = problem === undefined ? (isLost ? INTERRUPTED : turn.error) : `${problem.code}: ${problem.message}`;
  return {
    sessionId: summary.id,
    provider: 'ollm',
    family: 'sdk',
    status,
    startedAt: turn.startedAt ?? summary.startTime,
    ...(turn.endedAt === undefined || status === 'starting' ? {} : { endedAt: turn.endedAt }),
    answerer: summary.provider,
    ...(summary.model === '' ? {} : { model: summary.model }),
    ...(summary.thinking === undefined ? {} : { thinkingMode: summary.thinking }),
    ...(summary.cwd === undefined ? {} : { workspacePath: summary.cwd }),
    ...(summary.title === undefined ? {} : { title: summary.title }),
    ...(instanceId === undefined ? {} : { instanceId }),
    transitions: transitionsOf(turn, status, activity),
    events: events.slice(-MOST_EVENTS).map(snapshotEvent),
    ...(error === undefined || status === 'starting' ? {} : { error }),
    seq,
  };
}

/** With what no event says: a turn that was taken, and one that waits for an answer. */
function transitionsOf(
  { transitions, undecided }: TurnFold,
  status: Status,
  activity: SessionActivity,
): SessionSnapshot['transitions'] {
  if (!('since' in activity)) return transitions;
  if (status === 'starting') return [{ status, at: activity.since }];
  const asked = [...undecided.values()].at(-1);
  return status === 'waiting' && asked !== undefined ? [...transitions, { status, at: asked }] : transitions;
}

interface TurnFold {
  status: Status;
  /** When each call was asked for that is not decided on. */
  readonly undecided: Map<unknown, string>;
  startedAt?: string;
  endedAt?: string;
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
