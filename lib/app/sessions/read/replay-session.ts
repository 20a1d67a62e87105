// `ollm replay ID`: the states of a session, only from its journal, now or at any event of its past. No derived file is
// read, so this is also the proof that none is needed.
import type { Damage, EventReader, Position } from '../../../journal/types.ts';
import { budgetFold } from '../../../projections/budget.ts';
import { budgetReport } from '../../../projections/budget-report.ts';
import { contextFold } from '../../../projections/context.ts';
import { replayWithCutOff } from '../../../projections/cut-off.ts';
import { createLoopFold, type LoopConfig } from '../../../projections/loop.ts';
import type { ReplayPoint } from '../../../projections/replay.ts';
import type { ReplayCounts, StatesOf } from '../../../projections/replayer.ts';
import { sessionFold, sessionJson } from '../../../projections/session.ts';
import { summaryFold } from '../../../projections/summary.ts';
import { countedEntries, currentSummary } from '../../../projections/timeline.ts';
import { viewFold } from '../../../projections/view.ts';
import { firstEvent } from '../../../session/fork.ts';
import { writeSnapshot } from '../../../session/saved/snapshot.ts';
import type { App } from '../../app.ts';
import { agentSessions } from '../../find/agent-sessions.ts';
import { findConversation, findSession, type ReadingOptions } from '../../find/find-session.ts';
import { isJournal } from '../../find/open-for-reading.ts';
import { seqsOf } from './message-key.ts';

const STATE_NAMES = ['session', 'view', 'budget', 'loop', 'context', 'summary'] as const;
type StateName = (typeof STATE_NAMES)[number];

export interface ReplayRequest extends ReadingOptions {
  readonly at?: ReplayPoint | undefined;
  readonly states: readonly StateName[];
  /** Replace the snapshot `<id>.json` by one from the whole journal. */
  readonly write?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReplayReport {
  readonly id: string;
  /** The place after the last event that counts. */
  readonly position: Position | undefined;
  readonly counts: Readonly<ReplayCounts>;
  /** The first of what could not be read; `counts.damaged` counts all. */
  readonly damage: readonly Damage[];
  readonly states: Readonly<Partial<Record<StateName, unknown>>>;
}

interface ReplayedSession extends ReplayReport {
  /** Ids of the sessions of its agents. */
  readonly agents: readonly string[];
}

const MAX_DAMAGE_REPORTED = 100;

/** @throws OllmError SESSION_*, SEQ_NOT_FOUND */
export async function replaySession(app: App, reference: string, request: ReplayRequest): Promise<ReplayedSession> {
  // A snapshot belongs to a journal: a session without one is refused before it is read.
  const { id, key, read } = request.write
    ? await findSession(app, reference)
    : await findConversation(app, reference, { imported: request.imported, archived: true });
  const work = async (reader: EventReader) => {
    const at = request.at ?? (key === undefined ? undefined : { seq: (await seqsOf(reader, key, request.signal)).to });
    return replayConversation(reader, { ...request, at }, app.config.services.loopDetection);
  };
  const report = await read(work);
  if (request.write) await writeSnapshot(app.store, id);
  return { ...report, agents: await agentSessions(app.store, id) };
}

/** Replays any conversation. @throws OllmError SEQ_NOT_FOUND, JOURNAL_EMPTY if nothing of a journal can be read */
export async function replayConversation(
  reader: EventReader,
  { at, states: names, signal }: Omit<ReplayRequest, 'write'>,
  loopDetection?: LoopConfig,
): Promise<ReplayReport> {
  const damage: Damage[] = [];
  const onDamage = (found: Damage) => {
    if (damage.length < MAX_DAMAGE_REPORTED) damage.push(found);
  };
  const { states, counts, position } = await replayWithCutOff(reader, foldsFor(loopDetection), {
    at,
    signal,
    onDamage,
  });
  // Nothing that was ever whole is not an empty session.
  if (counts.events === 0 && isJournal(reader)) await firstEvent(reader);
  const shown = names.map((name) => [name, presentState(name, states, counts)] as const);
  return { id: reader.id, position, counts, damage, states: Object.fromEntries(shown) };
}

function foldsFor(loopDetection: LoopConfig | undefined) {
  return {
    session: sessionFold,
    view: viewFold,
    budget: budgetFold,
    loop: createLoopFold(loopDetection),
    context: contextFold,
    summary: summaryFold,
  };
}

/** The public part of a state. */
function presentState(name: StateName, states: StatesOf<ReturnType<typeof foldsFor>>, counts: ReplayCounts): unknown {
  switch (name) {
    case 'session':
      return sessionJson(states.session, { damaged: counts.damaged, unknownEvents: counts.unknown });
    case 'view': {
      const { timeline, ...view } = states.view;
      return { ...view, summary: currentSummary(timeline)?.summary, items: countedEntries(timeline) };
    }
    case 'budget':
      return budgetReport(states.budget, { reserveTokens: 0 });
    case 'summary': {
      const { timeline: _, ...summary } = states.summary;
      return summary;
    }
    case 'loop':
    case 'context':
      return states[name];
  }
}
