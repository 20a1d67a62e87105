// How the session of a run is, from its journal: the events of its last prompt and the row that lists have. The same
// before and after a restart, and from each server. A prompt that no process leads any more has failed.
import type { App } from '../../app/app.ts';
import { openForReading } from '../../app/find/open-for-reading.ts';
import { runnableAgent } from '../../app/start/agent-program.ts';
import type { SessionEvent } from '../../journal/types.ts';
import { defined } from '../../platform/json.ts';
import { summarize } from '../../session/summarize.ts';
import { lastEvents } from '../last-events.ts';
import type { SessionSnapshot } from '../port/snapshots.ts';

type Status = SessionSnapshot['status'];

interface RunSnapshotOptions {
  /** The name of the agent. */
  readonly agent: string;
  /** What clients call it. */
  readonly address: string;
  /** The server that leads it. */
  readonly instanceId?: string | undefined;
  /** The event that stored a prompt, which waits then. Default: the last of the journal. */
  readonly upTo?: number | undefined;
}

const MOST_EVENTS = 2_000;
const OPEN: readonly unknown[] = ['starting', 'running', 'waiting'];
const INTERRUPTED = 'INTERRUPTED: the turn ended with the program that led it.';

/** `id`: of its journal. @throws OllmError SESSION_NOT_FOUND, and what reading throws */
export async function runSnapshot(
  app: Pick<App, 'store' | 'paths' | 'env' | 'config' | 'fileSystem'>,
  id: string,
  { agent, address, instanceId, upTo = Number.POSITIVE_INFINITY }: RunSnapshotOptions,
): Promise<SessionSnapshot> {
  const { store } = app;
  const family = runnableAgent(app, agent)?.family ?? 'acp';
  using reader = await openForReading({ store }, id);
  const events = await lastEvents(reader, beginsPrompt, upTo);
  const isLed = instanceId !== undefined || (await reader.isBeingWritten());
  const { summary } = await summarize(store, id);
  const last = summary.provider === '' ? {} : { model: summary.model };
  return {
    ...{ sessionId: address, provider: agent, family, answerer: agent },
    ...stateOf(events, { isLed, begun: summary.startTime, isStored: upTo !== Number.POSITIVE_INFINITY }),
    ...last,
    ...defined({ workspacePath: summary.cwd, title: summary.title, instanceId }),
    events: events.slice(-MOST_EVENTS).map((event) => {
      const { seq, ts, type, turn, data } = event;
      return { timestamp: ts, channel: 'sdk', data: { seq, ts, type, turn, data } };
    }),
    seq: events.at(-1)?.seq ?? -1,
  };
}

/** The status with which the work on a prompt begins. */
function beginsPrompt({ type, data }: SessionEvent): boolean {
  return type === 'run.status' && data.to === 'running' && data.from !== 'waiting';
}

function stateOf(
  events: readonly SessionEvent[],
  { isLed, begun, isStored }: { readonly isLed: boolean; readonly begun: string; readonly isStored: boolean },
): Pick<SessionSnapshot, 'status' | 'startedAt' | 'endedAt' | 'transitions' | 'error'> {
  if (isStored) return { status: 'starting', startedAt: events.at(-1)!.ts, transitions: [] };
  const moves = events.filter(({ type }) => type === 'run.status');
  const transitions = moves.map(({ ts, data }) => ({ status: data.to as Status, at: ts }));
  const last = moves.at(-1);
  const startedAt = moves[0]?.ts ?? begun;
  if (last === undefined) return { status: isLed ? 'starting' : 'completed', startedAt, transitions };
  const status = last.data.to as Status;
  if (OPEN.includes(status)) {
    if (isLed) return { status, startedAt, transitions };
    const at = events.at(-1)!.ts;
    return { status: 'failed', startedAt, transitions: [...transitions, { status: 'failed', at }], error: INTERRUPTED };
  }
  const { code, message } = (last.data.error ?? {}) as { readonly code?: string; readonly message?: string };
  const error = code === undefined ? {} : { error: `${code}: ${message}` };
  return { status, startedAt, endedAt: last.ts, transitions, ...error };
}
