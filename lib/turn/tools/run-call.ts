// A call of a model, from its request to its result: found, planned, decided on, started, run, stored. Each step is in
// the journal before its effect: tool.decided and tool.started are on the device before the tool runs. Never throws for
// failures of a tool, a hook or an approver: the model gets a message, and the turn continues. Throws the errors of an
// append.
import type { EventData, NewOllmEvent } from '../../events/index.ts';
import type { ModelToolCall } from '../../providers/provider.ts';
import type { RunProgram } from '../../tools/program.ts';
import type { ToolPlan } from '../../tools/tool.ts';
import { createScrubber, type Scrubber } from '../redact-event.ts';
import type { Turn } from '../turn.ts';
import type { TurnTools } from '../turn-tools.ts';
import { checkOutput } from './check-output.ts';
import { hashOf, type Judgement, judge } from './judge-call.ts';
import { keepChanges } from './kept-changes.ts';
import type { CallRefusal, Prepared } from './plan-call.ts';
import type { Round } from './round.ts';
import { type RefusedOutput, runTool, type ToolEnd } from './run-tool.ts';
import { storeOutput } from './tool-output.ts';
import { whereItRuns } from './where-it-runs.ts';

/**
 * Brings it to its end. Leaves it open if the turn is cancelled before it ran: the round then closes all such calls.
 */
export async function concludeCall(round: Round, prepared: Prepared): Promise<void> {
  const { turn } = round;
  if (turn.cancelled.aborted) return;
  if (prepared.kind === 'refused') return refuse(round, prepared);
  const judgement = await judge(round, prepared);
  if (turn.cancelled.aborted || judgement.kind === 'cancelled') return;
  if (judgement.kind === 'refused') return refuse(round, judgement);
  const actionHash = hashOf(judgement.planned);
  if (!judgement.approval.use(actionHash)) return refuse(round, { ...changedMeanwhile(judgement), actionHash });
  await start(round, judgement, actionHash);
  const { call, plan, tools } = judgement.planned;
  const end = await runTool(plan, {
    tools: { ...tools, runProgram: runnerFor(judgement) },
    cancelled: turn.cancelled,
    clock: turn.dependencies.clock,
    onProgress: (text) => round.turn.show({ type: 'tool_output', callId: call.callId, text }),
  });
  if ('fault' in end) logFault(turn, call, end.fault);
  await finish(round, judgement, await checkOutput(round, judgement.planned, end));
}

/** Ends a call that did not run. */
export async function refuse({ turn, finished }: Round, refusal: CallRefusal): Promise<void> {
  const { session, dependencies, number } = turn;
  const { call, rule, words, by = 'policy', status = 'denied', actionHash, dangerous, isUnasked } = refusal;
  const { callId } = call;
  const scrub = createScrubber(dependencies.redactor);
  const content = scrub.text(words);
  const shown = scrub.text(refusal.display ?? words);
  const decided: EventData<'tool.decided'> = {
    callId,
    decision: 'deny',
    by,
    rule,
    reason: scrub.text(refusal.reason ?? words),
    actionHash,
    dangerous,
    args: changedArgs(refusal, scrub),
    ...refusal.answerer,
  };
  await session.append(
    [
      ...scrub.findings(`result of ${call.name}`, number),
      { type: 'tool.decided', turn: number, data: decided },
      endWithoutRun(turn, callId, status, content),
    ],
    { durability: 'disk' },
  );
  finished.add(callId);
  turn.show({ type: 'tool_result', callId, status, content: shown, durationMs: 0, unasked: isUnasked || undefined });
}

/** The end of a call that did not run. `content`: the words for the model. */
export function endWithoutRun(
  { dependencies, number }: Turn,
  callId: string,
  status: EventData<'tool.finished'>['status'],
  content: string,
): NewOllmEvent {
  const tokens = dependencies.counter.count(content);
  const result = { llmContent: content };
  const data = { callId, status, result, tokens, durationMs: 0, trusted: false } as const;
  return { type: 'tool.finished', turn: number, data };
}

/** The arguments, where the user changed them. */
function changedArgs({ args }: Pick<CallRefusal, 'args'>, scrub: Scrubber): EventData<'tool.decided'>['args'] {
  return args === undefined ? undefined : (scrub.json(args) as EventData<'tool.decided'>['args']);
}

type Allowed = Extract<Judgement, { kind: 'allowed' }>;

/** The runner of a call: a call that is known to read runs its programs in a boundary that allows nothing else. */
function runnerFor({ planned, readsOnly = false }: Allowed): RunProgram {
  const { runProgram } = planned.tools;
  return readsOnly ? (call, options) => runProgram({ ...call, readsOnly }, options) : runProgram;
}

/** The approved plan is not the plan that would run: the tool changed it after the decision. */
function changedMeanwhile({ planned }: Allowed): CallRefusal {
  const words = 'The call was not run: it is not any more what was approved. Ask for it again.';
  return { kind: 'refused', call: planned.call, rule: 'approval-void', words };
}

/** On the device before the side effect. */
async function start(
  { turn }: Round,
  { planned, by, rule, reason, dangerous, args, answerer, readsOnly = false }: Allowed,
  actionHash: string,
): Promise<void> {
  const { call, plan, tools } = planned;
  const { action } = plan;
  const { callId } = call;
  const scrub = createScrubber(turn.dependencies.redactor);
  const decided: EventData<'tool.decided'> = {
    callId,
    decision: 'allow',
    by,
    rule,
    actionHash,
    reason: reason && scrub.text(reason),
    dangerous,
    args: changedArgs({ args }, scrub),
    ...answerer,
  };
  const { words: _, ...stored } = whereItRuns(action, tools.boundary, { readsOnly });
  const started: EventData<'tool.started'> = {
    callId,
    actionHash,
    ...programOf(plan, tools, scrub.json),
    ...stored,
    changes: await keepChanges(turn, tools, plan.changes),
    subagent: plan.subagent,
  };
  const events: NewOllmEvent[] = [
    { type: 'tool.decided', turn: turn.number, data: decided },
    { type: 'tool.started', turn: turn.number, data: started },
  ];
  await turn.session.append(events, { durability: 'disk' });
  for (const { path, before } of started.changes ?? []) {
    if (before?.notKept !== 'secret') continue;
    const text = `${path} cannot be put back afterwards: what ${call.name} replaces holds a secret, which is not stored.`;
    turn.show({ type: 'notice', text });
  }
  turn.show({ type: 'tool_started', callId, name: call.name, summary: action.summary });
}

function programOf(
  { action: { command } }: ToolPlan,
  { place }: TurnTools,
  clean: <Value>(value: Value) => Value,
): Pick<EventData<'tool.started'>, 'cwd' | 'command' | 'argv'> {
  if (command === undefined) return { cwd: place.cwd };
  const what = command.kind === 'shell' ? { command: clean(command.line) } : { argv: clean([...command.argv]) };
  return { cwd: command.cwd, ...what };
}

/** Stores the end of the call, with the part of the result that goes to the model. */
async function finish(round: Round, { planned, args }: Allowed, end: ToolEnd): Promise<void> {
  const { turn } = round;
  const { call, tools } = planned;
  const { callId } = call;
  const { status, durationMs } = end;
  const request = { callId, name: call.name, output: end.output, changedArgs: args, maxTokens: round.maxOutputTokens };
  const record = await storeOutput(turn, tools, request);
  const { content, stored, tokens, display, images, truncated, blob, events } = record;
  const result = { llmContent: stored, returnDisplay: display, images: images && [...images] };
  const data = { callId, status, result, tokens, durationMs, truncated, blob, trusted: false } as const;
  const [receipt] = await turn.session.append(
    [
      { type: 'tool.finished', turn: turn.number, data },
      ...events,
      ...(end.refusal === undefined ? [] : [refused(turn, callId, end.refusal)]),
    ],
    { durability: 'disk' },
  );
  round.finished.add(callId);
  const fields = { service: 'tools', operation: call.name, sessionId: turn.session.id, callId, status, durationMs };
  turn.dependencies.log.debug(fields, 'A call ended');
  const notices = [
    ...(end.refusal ? [`The result of ${call.name} was refused: ${end.refusal.reason}`] : []),
    ...events.flatMap((event) =>
      event.type === 'moderation.flagged'
        ? [`${event.data.details} The model was given it as data, not as instructions.`]
        : [],
    ),
  ];
  for (const text of notices) turn.show({ type: 'notice', text });
  if (receipt !== undefined && stored !== content) turn.outputs.set(receipt.seq, content);
  const shown = display ?? content;
  turn.show({ type: 'tool_result', callId, status, content: shown, durationMs, truncated });
}

function refused({ dependencies, number }: Turn, callId: string, { rule, reason }: RefusedOutput): NewOllmEvent {
  const details = createScrubber(dependencies.redactor).text(reason);
  return { type: 'moderation.flagged', turn: number, data: { subject: callId, rule, details } };
}

function logFault({ session, dependencies }: Turn, { name, callId }: ModelToolCall, error: unknown): void {
  dependencies.log.error(
    { service: 'tools', operation: name, sessionId: session.id, callId, error },
    'A tool broke down; the model got a message',
  );
}
