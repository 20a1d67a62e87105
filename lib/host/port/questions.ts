// Questions of the policy to users of this host.
import type { Command, FileAccess, Preview } from '../../tools/action.ts';
import type { Actor } from './prompts.ts';

/** `edits`: the session goes to this mode, in which files of the project are changed without a question. */
export type AnswerDecision = 'once' | 'always' | 'never' | 'edits' | 'no';

/** What a user is asked before a call runs, in full; or whether a long turn continues. */
export interface UserQuestion {
  readonly id: string;
  readonly sessionId: string;
  /** `call`: may this call run. `go-on`: may a long turn make further requests; answered with `once` or `no`. */
  readonly kind: 'call' | 'go-on';
  /** What an answer is good for: 64 hexadecimal digits. Of a call it is the `actionHash` that is stored with it. */
  readonly hash: string;
  /** A single line for people. */
  readonly summary: string;
  readonly reason: string;
  readonly call?: QuestionedCall | undefined;
  /** The answers that count. `always` and `never` only where one rule says it, `edits` at a change of the project. */
  readonly answers: readonly AnswerDecision[];
  /** `owner`: only an actor without a name, or one that the server takes for the owner. */
  readonly mayAnswer: 'owner';
  /** RFC 3339. */
  readonly askedAt: string;
  /** RFC 3339: when it is denied without an answer. */
  readonly expiresAt: string;
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

/** How a question ended. */
export interface QuestionEnd {
  readonly id: string;
  readonly sessionId: string;
  /** `cancelled`: its turn was stopped. `expired`: no answer came in time. `closed`: the server ended. */
  readonly how: 'answered' | 'cancelled' | 'expired' | 'closed';
  readonly decision: AnswerDecision;
  readonly author?: string | undefined;
  readonly address?: string | undefined;
  /** RFC 3339. */
  readonly at: string;
}
