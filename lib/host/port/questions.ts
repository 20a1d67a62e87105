// Questions of the policy to users of this host.
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';
import type { Action } from '../../tools/action.ts';
import type { ApprovalRequest } from '../../tools/decision.ts';
import type { Actor } from './prompts.ts';

type Shown = FromSchema<typeof SHAPES.Question>;

/** `edits`: the session goes to this mode, in which files of the project are changed without a question. */
export type AnswerDecision = Shown['answers'][number];

/**
 * What a user is asked before a call runs, in full (`call`), or whether a long turn makes further requests (`go-on`),
 * which is answered with `once` or `no`. `hash`: 64 hexadecimal digits; of a call it is the `actionHash` that is stored
 * with it. `answers`: those that count; `always` and `never` only where one rule says it, `edits` at a change of the
 * project. At `expiresAt` it is denied without an answer.
 */
export interface UserQuestion extends Omit<Shown, 'call'> {
  readonly call?: QuestionedCall | undefined;
  /** `owner`: only an actor without a name, or one that the server takes for the owner. */
  readonly mayAnswer: 'owner';
}

/** The call with what decided that it is asked about. */
type QuestionedCall = Pick<ApprovalRequest, 'callId' | 'args' | 'sandbox'> &
  Omit<Action, 'summary' | 'web' | 'delegates'> &
  Pick<ApprovalRequest['decision'], 'rule' | 'dangerous' | 'grant' | 'denial'>;

export interface Answer {
  readonly decision: AnswerDecision;
  /** The hash of the shown action. */
  readonly hash: string;
  /** With `no`: the text for the model. */
  readonly words?: string | undefined;
  readonly by?: Actor | undefined;
}

/** `cancelled`: its turn was stopped. `expired`: no answer came in time. `closed`: the server ended. */
export type QuestionEnd = FromSchema<typeof SHAPES.QuestionEnd>;
