// The questions of a running agent: the question and the decision are in the journal before the agent gets its answer.
// The policy denies as it does for tools, and a dangerous call is asked about in any case.
import { hash } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import type { NewEvent } from '../../journal/types.ts';
import { canonicalJson, isObject } from '../../platform/json.ts';
import type { AgentQuestion } from '../../runs/runner.ts';
import type { Action, FileAccess } from '../../tools/action.ts';
import type { ApprovalAnswer, Approver, Decision, Policy } from '../../tools/decision.ts';
import { shownRequest } from './shown-request.ts';

/** The answer to the questions of the agent: that of a user, no or yes. */
export type RunPermissions = 'ask' | 'deny' | 'allow';

interface QuestionContext {
  readonly run: string;
  /** The title of the agent. */
  readonly agent: string;
  /** The session, by the agent's own id. */
  readonly session: string;
  readonly workspace: string;
  readonly permissions: RunPermissions;
  /** The sandbox that it runs in, or why there is none. */
  readonly sandbox: string;
  readonly policy: Policy;
  /** Without one, no user can be asked. */
  readonly approver?: Approver | undefined;
  /** On the device when it resolves. */
  readonly store: (events: readonly NewEvent[]) => Promise<unknown>;
  /** Called around the time in which a user is waited for. */
  readonly onWaiting: (isWaiting: boolean) => Promise<void>;
  /** Called for a call that was denied because no user could be asked. */
  readonly onUnasked: (callId: string) => void;
}

const MAX_REQUEST_BYTES = 64 * 1024;
const MAX_TEXT = 2 * 1024;
const WRITES = ['edit', 'delete', 'move'];

export async function answerQuestion(
  context: QuestionContext,
  question: AgentQuestion,
  signal: AbortSignal,
): Promise<'allow' | 'deny'> {
  const { run, agent, session, workspace, store } = context;
  const { callId, request } = question;
  const shown = hash('sha256', canonicalJson({ agent, session, workspace, callId, request }), 'hex');
  await store([{ type: 'run.asked', data: { run, callId, hash: shown, ...storedRequest(request) }, ignorable: true }]);
  const { decision, ...by } = await decided(context, question, shown, signal);
  await store([{ type: 'tool.decided', data: { callId, decision, actionHash: shown, ...by } }]);
  return decision;
}

interface Decided {
  readonly decision: 'allow' | 'deny';
  readonly by: 'policy' | 'user';
  readonly rule?: string;
  readonly reason?: string;
  readonly dangerous?: string;
  readonly author?: string;
  readonly address?: string;
}

async function decided(
  context: QuestionContext,
  question: AgentQuestion,
  actionHash: string,
  signal: AbortSignal,
): Promise<Decided> {
  const { policy, permissions, approver, agent, sandbox, onWaiting, onUnasked } = context;
  const { callId, request } = question;
  const action = actionOf(question, context);
  const judged = policy.decide(action);
  if (judged.kind === 'deny') return { decision: 'deny', by: 'policy', rule: judged.rule, reason: judged.reason };
  if (permissions === 'deny') return { decision: 'deny', by: 'policy', reason: 'This run denies what it is asked.' };
  const dangerous = judged.kind === 'ask' ? judged.dangerous : undefined;
  const about = dangerous === undefined ? {} : { dangerous };
  if (permissions === 'allow' && dangerous === undefined) return { decision: 'allow', by: 'user', author: UNATTENDED };
  if (approver === undefined) {
    onUnasked(callId);
    return { decision: 'deny', by: 'policy', reason: 'No user could be asked.', ...about };
  }
  const decision: Extract<Decision, { kind: 'ask' }> = {
    kind: 'ask',
    rule: `agent:${agent}`,
    reason: `${agent} asks before it does this.`,
    dangerous,
  };
  await onWaiting(true);
  const preview = await shownRequest(question, context.workspace);
  const shown = { ...action, ...(preview && { preview }) };
  const answer = await approver
    .ask({ callId, action: shown, decision, sandbox, args: request, actionHash, program: agent, isFixed: true }, signal)
    .catch((): ApprovalAnswer => ({ kind: 'unanswered', reason: 'The turn was stopped before a user answered.' }));
  await onWaiting(false);
  return { ...decisionOf(answer), ...about };
}

/** The author of a decision that no user was asked for. */
const UNATTENDED = 'unattended';

function decisionOf(answer: ApprovalAnswer): Decided {
  const { author, address } = answer;
  const by = { by: 'user' as const, ...(author && { author }), ...(address && { address }) };
  switch (answer.kind) {
    case 'once':
    case 'always':
      return { decision: 'allow', ...by };
    case 'unanswered':
      return { decision: 'deny', by: 'policy', reason: answer.reason };
    case 'no':
      return { decision: 'deny', ...by, ...(answer.words && { reason: answer.words }) };
    case 'never':
    case 'again':
    case 'edit':
      return { decision: 'deny', ...by };
  }
}

function actionOf({ title, request, command }: AgentQuestion, { agent, workspace }: QuestionContext): Action {
  const isWrite = WRITES.includes(String(request.kind));
  const places = Array.isArray(request.locations) ? request.locations : [];
  const accesses = places.flatMap((place: unknown): FileAccess[] => {
    if (!isObject(place) || typeof place.path !== 'string' || command !== undefined) return [];
    const path = isAbsolute(place.path) ? place.path : resolve(workspace, place.path);
    return [{ kind: isWrite ? 'write' : 'read', path }];
  });
  // The rules of the user name tools of ollm: they hold for what does the same.
  const fileTool = accesses.length === 0 ? agent : isWrite ? 'file_write' : 'file_read';
  return {
    tool: command === undefined ? fileTool : 'bash',
    summary: title,
    isReadOnly: false,
    accesses,
    ...(command === undefined ? {} : { command: { kind: 'shell', line: command, cwd: workspace } }),
  };
}

function storedRequest(request: AgentQuestion['request']): { readonly request: unknown; readonly truncated?: true } {
  if (Buffer.byteLength(JSON.stringify(request)) <= MAX_REQUEST_BYTES) return { request };
  const short = shortened(request);
  const isShort = Buffer.byteLength(JSON.stringify(short)) <= MAX_REQUEST_BYTES;
  return { request: isShort ? short : { title: shortened(request.title) }, truncated: true };
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT).toWellFormed()}…`;
  if (Array.isArray(value)) return value.slice(0, 50).map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}
