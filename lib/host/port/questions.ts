// Questions of the policy to users of this host.
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';
import type { Command, FileAccess, Preview } from '../../tools/action.ts';
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

interface QuestionedCall {
  readonly callId: string;
  readonly tool: string;
  /** As the model gave them. */
  readonly args: unknown;
  readonly isReadOnly: boolean;
  readonly isRemote: boolean;
  readonly command?: Command | undefined;
  readonly accesses: readonly FileAccess[];
  readonly preview?: Preview | undefined;
  /** Where it would run: the sandbox of its program or why there is none, ollm itself, or a server. */
  readonly sandbox: string;
  /** What asks: the name of the rule. */
  readonly rule: string;
  /** Why it is asked also where a grant would allow it. */
  readonly dangerous?: string | undefined;
  /** The rule that `always` would grant. */
  readonly grant?: string | undefined;
  /** The rule that `never` would deny. */
  readonly denial?: string | undefined;
}

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
