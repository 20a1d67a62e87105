// How a session is, from its journal alone: a fold over the events of its last turn, and the row that lists have. The
// same before and after a restart. What this process knows besides (a turn that runs, a question) is laid over it.
import type { OllmError } from '../../errors/index.ts';
import type { JsonObject, SessionEvent } from '../../journal/types.ts';
import type { SummaryRow } from '../../projections/summary.ts';
import type { SessionActivity, SessionSnapshot, SnapshotEvent } from '../types.ts';

export interface SnapshotFacts {
  readonly summary: SummaryRow;
  /** Of the last turn, from its beginning, with all that was stored after it; none where no turn ever began. */
  readonly events: readonly SessionEvent[];
  /** Seq of the last event of the journal. */
  readonly seq: number;
  /** Whether a process leads the session now. */
  readonly isLed: boolean;
  /** In this host. */
  readonly activity: SessionActivity;
  /** Why the last prompt became no turn, as long as this host remembers. */
  readonly problem?: OllmError | undefined;
}

const MOST_EVENTS = 2_000;
const INTERRUPTED = 'INTERRUPTED: the turn ended with the program that led it.';

type Status = SessionSnapshot['status'];

export function snapshotOf({ summary, events, seq, isLed, activity, problem }: SnapshotFacts): SessionSnapshot {
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
    transitions: turn.transitions,
    events: events.slice(-MOST_EVENTS).map(snapshotEvent),
    ...(error === undefined || status === 'starting' ? {} : { error }),
    seq,
  };
}

interface TurnFold {
  status: Status;
  startedAt?: string;
  endedAt?: string;
  error?: string;
  readonly transitions: { readonly status: Status; readonly at: string }[];
}

/** `waiting` is a call that was asked for and is not decided on, from the one to the other. */
function foldTurn(events: readonly SessionEvent[]): TurnFold {
  const fold: TurnFold = { status: 'completed', transitions: [] };
  const move = (status: Status, at: string): void => {
    if (fold.transitions.at(-1)?.status !== status) fold.transitions.push({ status, at });
    fold.status = status;
  };
  for (const { type, ts, data } of events) {
    if (type === 'turn.started') {
      fold.startedAt = ts;
      move('running', ts);
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
