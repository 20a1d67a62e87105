// Whether a planned call may run: hooks first, then the policy, then the user where the policy says so. A call that the
// user changed is planned and judged again. An answer covers exactly the plan that was shown, for one run.
import { untilAborted } from '../../platform/waiting.ts';
import type { Answerer, ApprovalAnswer, Decision, Policy } from '../../tools/decision.ts';
import { MODE_WORDS } from '../../tools/modes.ts';
import { actionHash } from '../../tools/policy/action-hash.ts';
import { type Approval, approvalOf } from '../../tools/policy/approval.ts';
import type { Turn } from '../turn.ts';
import { askHooks } from './call-hooks.ts';
import { type CallRefusal, type PlannedCall, planCall } from './plan-call.ts';
import type { Round } from './round.ts';
import { whereItRuns } from './where-it-runs.ts';

export type Judgement =
  | {
      readonly kind: 'allowed';
      readonly planned: PlannedCall;
      /** Good for one run of exactly this plan. */
      readonly approval: Approval;
      readonly by: 'policy' | 'user' | 'grant';
      readonly rule: string;
      readonly reason?: string | undefined;
      readonly dangerous?: string | undefined;
      /** The programs of the call run in a boundary that only allows reading. */
      readonly readsOnly?: boolean | undefined;
      /** The arguments, where the user changed them. */
      readonly args?: unknown;
      readonly answerer?: Answerer | undefined;
    }
  | CallRefusal
  | { readonly kind: 'cancelled' };

type Ask = Extract<Decision, { kind: 'ask' }>;

/** No user changes a call more often; a program that answers in place of a user might. */
const MAX_EDITS = 20;

const CANCELLED = { kind: 'cancelled' } as const;

export async function judge(round: Round, planned: PlannedCall): Promise<Judgement> {
  const veto = await vetoOf(round, planned);
  if (veto !== undefined) return veto;
  return round.decisions.run(() => decideOn(round, planned));
}

async function vetoOf(round: Round, planned: PlannedCall): Promise<Judgement | undefined> {
  const answer = await askHooks(round.turn, planned);
  if (answer === undefined) return CANCELLED;
  const { veto } = answer;
  if (veto === undefined) return undefined;
  const { rule, reason } = veto;
  return refusal(planned, { rule, reason, words: `A hook did not allow the call: ${reason}` });
}

async function decideOn(round: Round, planned: PlannedCall, edits = 0): Promise<Judgement> {
  if (round.turn.cancelled.aborted) return CANCELLED;
  const decision = decisionOf(round, planned);
  switch (decision.kind) {
    case 'allow':
      return { ...allowed(planned), by: decision.by, rule: decision.rule, readsOnly: decision.readsOnly };
    case 'deny': {
      const { rule, reason } = decision;
      const display = rule === 'mode:plan' ? MODE_WORDS.plan : reason;
      return refusal(planned, { rule, reason, display, words: `The call was not allowed: ${reason}` });
    }
    case 'ask':
      return askUser(round, planned, { decision, edits });
  }
}

/** A policy that breaks down allows nothing. */
function decisionOf({ turn }: Round, { call, plan, tools }: PlannedCall): Decision {
  try {
    return tools.policy.decide(plan.action);
  } catch (error) {
    const fields = { service: 'tools', operation: 'decide', sessionId: turn.session.id, callId: call.callId, error };
    turn.dependencies.log.error(fields, 'The policy broke down; the call was denied');
    return { kind: 'deny', rule: 'policy-failed', reason: `The policy broke down: ${String(error)}` };
  }
}

interface Question {
  readonly decision: Ask;
  /** How often the arguments were changed by now. */
  readonly edits: number;
}

async function askUser(round: Round, planned: PlannedCall, question: Question): Promise<Judgement> {
  const { turn } = round;
  const decision = withoutSecretRules(question.decision, planned.tools.policy, turn);
  const { rule, reason, dangerous, denial } = decision;
  const grants = grantsOf(decision);
  const { approver, boundary, policy } = planned.tools;
  if (approver === undefined) {
    const words = `The call was not allowed: ${reason} No user can be asked here.`;
    const why = `${reason} No user could be asked.`;
    return refusal(planned, { rule, words, reason: why, dangerous, isUnasked: true });
  }
  const { callId } = planned.call;
  const shown = hashOf(planned);
  const { args, plan } = planned;
  const { words: sandbox } = whereItRuns(plan.action, boundary);
  const request = { callId, action: plan.action, decision, sandbox, args, actionHash: shown };
  let answer: ApprovalAnswer | undefined;
  try {
    answer = await untilAborted(approver.ask(request, turn.cancelled), turn.cancelled);
  } catch (error) {
    const words = `The call was not allowed: the user could not be asked. ${String(error)}`;
    return refusal(planned, { rule, words, dangerous, isUnasked: true });
  }
  if (answer === undefined) return CANCELLED;
  const answerer = answererOf(answer);
  switch (answer.kind) {
    case 'once':
      return { ...allowed(planned, shown), by: 'user', rule, reason, dangerous, answerer };
    case 'always':
      for (const grant of grants) await remember(round, 'It was allowed this once', () => policy.grant(grant));
      return { ...allowed(planned, shown), by: 'user', rule: grants.join('; ') || rule, reason, dangerous, answerer };
    case 'never':
      if (denial !== undefined) await remember(round, 'It was denied this once', () => policy.deny?.(denial));
      return refusal(planned, {
        ...{ rule: denial ?? rule, words: NEVER, display: '', by: 'user' as const },
        ...{ reason: 'never', dangerous, answerer },
      });
    case 'no': {
      const { words } = answer;
      const display = words === undefined ? '' : saidByUser(words);
      const why = { rule, words: refusedByUser(words), display, by: 'user', reason: words } as const;
      return refusal(planned, { ...why, dangerous, answerer });
    }
    case 'unanswered': {
      const words = `The call was not allowed: ${answer.reason}`;
      return refusal(planned, { rule, words, reason: answer.reason, dangerous, isUnasked: true });
    }
    case 'again':
      return question.edits >= MAX_EDITS ? tooOften(planned, question) : decideOn(round, planned, question.edits + 1);
    case 'edit':
      return judgeEdited(round, planned, question, answer.args);
  }
}

function answererOf({ author, address }: Answerer): Answerer | undefined {
  return author === undefined && address === undefined ? undefined : { author, address };
}

/** A rule is kept permanently, in clear words: one that would hold a secret is not offered. */
function withoutSecretRules(decision: Ask, policy: Policy, { dependencies: { redactor } }: Turn): Ask {
  const clean = (rule: string | undefined) =>
    rule === undefined || !redactor || redactor.redact(rule).text === rule ? rule : undefined;
  const denial = policy.deny === undefined ? undefined : clean(decision.denial);
  const isClean = grantsOf(decision).every((rule) => clean(rule) !== undefined);
  const { grant, alsoGrant } = isClean ? decision : {};
  return { ...decision, grant, alsoGrant, denial };
}

/** What “always” would grant; empty where it is not offered. */
function grantsOf({ grant, alsoGrant = [] }: Pick<Ask, 'grant' | 'alsoGrant'>): readonly string[] {
  return grant === undefined ? [] : [grant, ...alsoGrant];
}

/** An answer that cannot be kept still counts this once. */
async function remember({ turn: { show } }: Round, counts: string, keep: () => unknown): Promise<void> {
  try {
    await keep();
  } catch (error) {
    show({ type: 'notice', text: `${counts}; it could not be remembered: ${(error as Error).message}` });
  }
}

/**
 * Treats the change as the model's own arguments. If they cannot be used, the user gets the reason and is asked again
 * about the earlier ones.
 */
async function judgeEdited(round: Round, planned: PlannedCall, question: Question, args: unknown): Promise<Judgement> {
  const { decision, edits } = question;
  if (edits >= MAX_EDITS) return tooOften(planned, question);
  const edited = await planCall(round, planned.call, args);
  if (round.turn.cancelled.aborted) return CANCELLED;
  if (edited.kind === 'refused') {
    round.turn.show({ type: 'notice', text: `The changed arguments cannot be used: ${edited.words}` });
    return askUser(round, planned, { decision, edits: edits + 1 });
  }
  const judgement = (await vetoOf(round, edited)) ?? (await decideOn(round, edited, edits + 1));
  // After two edits, the decision is about the second one.
  return judgement.kind === 'cancelled' ? judgement : { ...judgement, args: judgement.args ?? edited.args };
}

function tooOften(planned: PlannedCall, { decision, edits }: Question): CallRefusal {
  const words = `The call was not allowed: it was changed ${edits} times.`;
  return refusal(planned, { rule: decision.rule, words, by: 'user' });
}

function refusal(planned: PlannedCall, why: Omit<CallRefusal, 'kind' | 'call' | 'actionHash'>): CallRefusal {
  return { kind: 'refused', call: planned.call, actionHash: hashOf(planned), ...why };
}

/** `hash`: that of the plan that was decided on, if it was computed before. */
function allowed(planned: PlannedCall, hash = hashOf(planned)) {
  return { kind: 'allowed', planned, approval: approvalOf(hash) } as const;
}

/** The hash of exactly the plan to decide on. */
export function hashOf({ call, args, plan, tools }: PlannedCall): string {
  return actionHash({ callId: call.callId, args, action: plan.action }, tools.boundary.environment);
}

const NOT_ALLOWED = 'The user did not allow the call, ';
const SAYS = 'and says: ';
const NEVER =
  'The user did not allow the call, and will never allow it in this project. Do not try it again in another way; ask what to do instead.';

function refusedByUser(words: string | undefined): string {
  const rest = words?.trim()
    ? `${SAYS}${words.trim()}`
    : 'and gave no reason. Do not try it again in another way; ask what to do instead.';
  return `${NOT_ALLOWED}${rest}`;
}

/** A denial by the user in the form for the user, from the model's form in `words`; other words stay as they are. */
export function denialForUser(words: string): string {
  if (!words.startsWith(NOT_ALLOWED)) return words;
  return words.startsWith(NOT_ALLOWED + SAYS) ? saidByUser(words.slice((NOT_ALLOWED + SAYS).length)) : '';
}

function saidByUser(words: string): string {
  return `You said: ${words}`;
}
