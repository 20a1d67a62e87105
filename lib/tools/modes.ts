// How much a session lets tools do without a question. A mode changes only calls that would need a question, or, in
// plan mode, calls that would be allowed. In every mode, calls that a rule or a place denies stay denied, and dangerous
// ones still need a question.
import type { Action } from './action.ts';
import type { Decision, Policy } from './decision.ts';

/**
 * `ask`: what changes something is asked about. `plan`: it is denied. `edits`: files of the project are written
 * unasked. `auto`: all that no rule denies runs unasked, where the operating system confines it.
 */
export const TOOL_MODES = ['ask', 'plan', 'edits', 'auto'] as const;

export type ToolMode = (typeof TOOL_MODES)[number];

/** The meaning of a mode, as a sentence for people. */
export const MODE_WORDS: Readonly<Record<ToolMode, string>> = {
  ask: 'Mode ask: you are asked before anything is changed.',
  plan: 'Mode plan: the model only reads. Nothing is changed.',
  edits: 'Mode edits: files of this project are changed without a question. You are asked about programs.',
  auto: 'Mode auto: all that no rule denies runs without a question, in the sandbox. You are asked about dangerous calls.',
};

/** What a part of a call is about, as far as modes care. */
interface ModedPart {
  readonly action: Pick<Action, 'command' | 'isRemote'>;
  /** Whether it is a file of the project that is written. */
  readonly isInProject: boolean;
  /** Whether the operating system confines programs. */
  readonly isConfined: boolean;
}

/** Calls that need a question only because no rule allows them. */
const ASKED_BY_DEFAULT: ReadonlySet<string> = new Set(['default:write', 'default:command', 'default:redirect']);

/** The decision on a part of a call in a mode: one that would be asked about may be allowed. */
export function inMode(mode: ToolMode, decision: Decision, { action, isInProject, isConfined }: ModedPart): Decision {
  if (decision.kind !== 'ask' || decision.dangerous !== undefined || !ASKED_BY_DEFAULT.has(decision.rule))
    return decision;
  const isEdit = isInProject && action.command === undefined && decision.rule === 'default:write';
  const isAllowed = (mode === 'edits' && isEdit) || (mode === 'auto' && isConfined && action.isRemote !== true);
  return isAllowed ? { kind: 'allow', by: 'policy', rule: `mode:${mode}` } : decision;
}

/** The decision on a call in plan mode: denied unless the call is known to change nothing. */
export function inPlan(action: Action, decision: Decision): Decision {
  if (decision.kind === 'deny' || !mayChange(action, decision)) return decision;
  return { kind: 'deny', rule: 'mode:plan', reason: PLAN_REASON };
}

const PLAN_REASON =
  'The session is in plan mode, in which nothing is changed. Read, and say what you would do; the user switches the mode when it is to be done.';

function mayChange(
  { accesses, command, isReadOnly, isRemote = false, delegates = false }: Action,
  decision: Decision,
): boolean {
  if (isRemote || accesses.some(({ kind }) => kind === 'write')) return true;
  if (command === undefined) return !isReadOnly && !delegates;
  return !(decision.kind === 'allow' && decision.readsOnly === true);
}

/**
 * A policy under which nothing is changed: calls of tools that do not say that they only read are denied.
 *
 * @example
 * planOnly(simplePolicy()).decide(plan.action);
 */
export function planOnly(policy: Policy): Policy {
  return {
    decide: (action) => inPlan(action, policy.decide(action)),
    grant: (rule) => policy.grant(rule),
    ...(policy.deny && { deny: (rule: string) => policy.deny?.(rule) }),
  };
}
