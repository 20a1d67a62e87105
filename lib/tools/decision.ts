// The policy's decision on a call, and its outcome. Made by policy/; carried out and recorded by the turn.
import type { Action } from './action.ts';

/** The policy's answer. `rule` names its reason: `default:read-in-project`, `deny:bash(curl)`, `grant:3`. */
export type Decision =
  | {
      readonly kind: 'allow';
      readonly by: 'policy' | 'grant';
      readonly rule: string;
      /** It is known to do no more than read: its programs get a boundary in which nothing else is possible. */
      readonly readsOnly?: boolean | undefined;
    }
  | { readonly kind: 'deny'; readonly rule: string; readonly reason: string }
  | {
      readonly kind: 'ask';
      readonly rule: string;
      readonly reason: string;
      /** The rule that “always” would grant; undefined where it is asked each time. */
      readonly grant?: string | undefined;
      /** The further grants of an “always”, if the call has several parts. */
      readonly alsoGrant?: readonly string[] | undefined;
      /** The rule that “never” would deny; undefined where no one rule says it. */
      readonly denial?: string | undefined;
      /** Why it is asked also where a grant would allow it: `rm -rf`, `git push --force`. */
      readonly dangerous?: string | undefined;
      /** It only changes files of the project: the mode `edits` would not ask. */
      readonly isEdit?: boolean | undefined;
    };

/** Decides on a call. Pure for one state of rules and grants. */
export interface Policy {
  decide(action: Action): Decision;
  /** Remembers a grant that the user gave. A promise is awaited before the call runs. */
  grant(rule: string): unknown;
  /** Remembers that the user never wants this. Without it “never” is not offered. */
  deny?(rule: string): unknown;
}

/** The question for the user. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly action: Action;
  readonly decision: Extract<Decision, { readonly kind: 'ask' }>;
  /** Where it would run: the sandbox of its program or why there is none, ollm itself, or a server. */
  readonly sandbox: string;
  /** As the model gave them, or as the user changed them. */
  readonly args: unknown;
  /** Which agent wants it, in a few words; undefined for the model that the user talks with. */
  readonly asker?: string | undefined;
  /** The program of another maker that asks, by the name that its maker gives it; undefined for a tool of ollm. */
  readonly program?: string | undefined;
  /** The scope of the answer, as it is stored with the decision. */
  readonly actionHash: string;
  /** It runs as it is, or not at all. */
  readonly isFixed?: true | undefined;
}

/** Which user answered, where several may. */
export interface Answerer {
  readonly author?: string | undefined;
  /** Network address. */
  readonly address?: string | undefined;
}

export type ApprovalAnswer = Answerer & UserDecision;

export type UserDecision =
  | { readonly kind: 'once' }
  /** Once, and from now on what `decision.grant` and `decision.alsoGrant` say. */
  | { readonly kind: 'always' }
  /** Not now, and from now on nothing that `decision.denial` says. */
  | { readonly kind: 'never' }
  /** `words`: the text for the model in place of the result. */
  | { readonly kind: 'no'; readonly words?: string | undefined }
  /** No user did: why, as a sentence. It is not allowed then. */
  | { readonly kind: 'unanswered'; readonly reason: string }
  /** The mode is another one by now: the call is decided on again. */
  | { readonly kind: 'again' }
  /** With other arguments, which are planned and decided on again. */
  | { readonly kind: 'edit'; readonly args: unknown };

/** Asks the user. Absent where no user can be asked: then “ask” means no. */
export interface Approver {
  /** Rejects if `signal` is aborted. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}
