// Projection: tool calls in the order of the journal, each with its request, the decision and its rule, its run and its
// end. For `ollm audit`. Keeps contradictions of the journal (two ends, a start after a no) and names them as findings:
// an audit that tidies up would hide them.
import type { EventData, OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import type { Fold } from './projection.ts';

/** When, and where in the journal. */
interface AuditPlace {
  readonly seq: number;
  /** RFC 3339. */
  readonly ts?: string | undefined;
}

export type AuditedDecision = AuditPlace & Omit<EventData<'tool.decided'>, 'callId'>;
type AuditedQuestion = AuditPlace & { readonly hash: string };
export type AuditedStart = AuditPlace & Omit<EventData<'tool.started'>, 'callId'>;
export type AuditedEnd = AuditPlace & Pick<EventData<'tool.finished'>, 'status' | 'durationMs' | 'truncated'>;

/** A call, with everything in the journal about it. */
export interface AuditedCall extends AuditPlace {
  readonly callId: string;
  readonly turn?: number | undefined;
  /** Undefined where the request was lost. */
  readonly tool?: string | undefined;
  readonly args?: unknown;
  /** The question of an agent that ollm runs. It may come before the agent's own record of the call, or after it. */
  readonly asked?: AuditedQuestion | undefined;
  /** It is in the file of another program, which has no starts, and no decisions of its own rules. */
  readonly ofOther?: true | undefined;
  readonly decisions: readonly AuditedDecision[];
  readonly starts: readonly AuditedStart[];
  readonly ends: readonly AuditedEnd[];
}

interface OpenCall extends AuditedCall {
  turn?: number | undefined;
  tool?: string | undefined;
  args?: unknown;
  asked?: AuditedQuestion | undefined;
  ofOther?: true | undefined;
  readonly decisions: AuditedDecision[];
  readonly starts: AuditedStart[];
  readonly ends: AuditedEnd[];
}

interface AuditState {
  readonly calls: OpenCall[];
  /** The newest call of each id: models give the same id again. */
  readonly newest: Map<string, OpenCall>;
  /** Calls that an agent asked about, and that its own file does not have yet, by their ids. */
  readonly unrecorded: Map<string, OpenCall>;
}

type Reads = 'run.asked' | 'tool.requested' | 'tool.decided' | 'tool.started' | 'tool.finished';

export const auditFold: Fold<AuditState, Reads> = {
  name: 'audit',
  version: 4,
  reads: ['run.asked', 'tool.requested', 'tool.decided', 'tool.started', 'tool.finished'],
  initial: () => ({ calls: [], newest: new Map(), unrecorded: new Map() }),
  apply(state, event) {
    const { seq } = event;
    const ts = timeOf(event);
    switch (event.type) {
      case 'run.asked': {
        const { callId, request, hash } = event.data;
        const asked = { seq, ts, hash };
        // The agent may write its file before it asks, and its file may be read before the question is stored.
        const recorded = state.newest.get(callId);
        if (recorded?.ofOther && recorded.asked === undefined && recorded.ends.length === 0) {
          recorded.asked = asked;
          return state;
        }
        const { title } = request as { readonly title?: unknown };
        const tool = typeof title === 'string' ? title : callId;
        state.unrecorded.set(callId, beginCall(state, event, { tool, args: request, asked }));
        return state;
      }
      case 'tool.requested': {
        const { callId, name, args, origin } = event.data;
        const asked = state.unrecorded.get(callId);
        const request = { tool: name, args, ...(origin && { ofOther: true as const }) };
        if (asked === undefined) beginCall(state, event, request);
        else Object.assign(asked, { ...request, ...(event.turn !== undefined && { turn: event.turn }) });
        state.unrecorded.delete(callId);
        return state;
      }
      case 'tool.decided': {
        const { callId: _, ...decision } = event.data;
        const { asked, decisions } = callOf(state, event);
        // The agent's own record of a decision that ollm has stored before.
        const isConfirmed = asked && decision.origin && decisions.some((each) => each.decision === decision.decision);
        if (!isConfirmed) decisions.push({ seq, ts, ...decision });
        return state;
      }
      case 'tool.started': {
        const { callId: _, ...start } = event.data;
        callOf(state, event).starts.push({ seq, ts, ...start });
        return state;
      }
      case 'tool.finished': {
        const { status, durationMs, truncated } = event.data;
        const more = { ...(durationMs === undefined ? {} : { durationMs }), ...(truncated ? { truncated } : {}) };
        callOf(state, event).ends.push({ seq, ts, status, ...more });
        return state;
      }
    }
  },
};

function beginCall(
  { calls, newest }: AuditState,
  event: OllmEventOf<Reads>,
  request: Pick<AuditedCall, 'tool' | 'args' | 'asked' | 'ofOther'>,
): OpenCall {
  const { seq, turn, data } = event;
  const place = { seq, ts: timeOf(event), callId: data.callId, ...(turn === undefined ? {} : { turn }) };
  const call: OpenCall = { ...place, ...request, decisions: [], starts: [], ends: [] };
  calls.push(call);
  newest.set(data.callId, call);
  return call;
}

function callOf(state: AuditState, event: OllmEventOf<Reads>): OpenCall {
  return state.newest.get(event.data.callId) ?? beginCall(state, event, {});
}

/**
 * Faults in the record of a call, each as a sentence.
 *
 * @example
 * findingsOf(call); // ['It has no end: whether it had an effect cannot be told.']
 */
export function findingsOf({ tool, asked, ofOther, decisions, starts, ends }: AuditedCall): string[] {
  const [start] = starts;
  const last = decisions.findLast(({ seq }) => start === undefined || seq < start.seq);
  // A user that is asked and calls it off has not decided, and nothing ran.
  const wasCalledOff = start === undefined && ends.length > 0 && ends.every(({ status }) => status === 'cancelled');
  // The agent keeps to a no, and may not have the call in its file.
  const wasRefused = asked !== undefined && last?.decision === 'deny';
  const said = (isSo: boolean, sentence: string) => (isSo ? [sentence] : []);
  return [
    ...said(tool === undefined, 'The request is not in the journal.'),
    ...said(decisions.length === 0 && !wasCalledOff && (!ofOther || asked !== undefined), 'It has no decision.'),
    ...said(
      asked !== undefined && decisions.some(({ actionHash }) => actionHash !== undefined && actionHash !== asked.hash),
      'What was decided on is not what was asked: their hashes differ.',
    ),
    ...said(wasRefused && ends.some(({ status }) => status === 'ok'), 'The agent ran it although it was denied.'),
    ...said(decisions.length > 1, `It was decided on ${decisions.length} times.`),
    ...said(starts.length > 1, `It was started ${starts.length} times.`),
    ...said(start !== undefined && decisions.length > 0 && last === undefined, 'It ran before it was decided on.'),
    ...said(start !== undefined && last?.decision === 'deny', 'It ran although it was denied.'),
    ...said(
      start?.actionHash !== undefined && last?.actionHash !== undefined && start.actionHash !== last.actionHash,
      'What ran is not what was decided on: their hashes differ.',
    ),
    ...said(ends.length === 0 && !wasRefused, 'It has no end: whether it had an effect cannot be told.'),
    ...said(ends.length > 1, `It ended ${ends.length} times.`),
    ...said(
      start === undefined && asked === undefined && !ofOther && ends.some(({ status }) => status === 'ok'),
      'It ended well and has no start.',
    ),
  ];
}
