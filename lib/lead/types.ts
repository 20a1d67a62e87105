// The ports of a conversation's leader: the parts that it is given, and the signals that it sends.
import type { Observable } from 'rxjs';
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import type { ErrorCode, OllmError } from '../errors/index.ts';
import type { WaitingPrompt } from '../projections/queue.ts';
import type { Approver } from '../tools/decision.ts';
import type { AskToGoOn, Steer, TurnInput } from '../turn/run-turn.ts';
import type { TurnSignal } from '../turn/signals.ts';

/** How one question is asked. */
export interface AskOptions {
  /** Cancels the turn: what had arrived is stored, then `cancelled` comes and the stream completes. */
  readonly signal?: AbortSignal | undefined;
  /** Asks the user about a call, if the policy says so. Without it such a call is denied. */
  readonly approver?: Approver | undefined;
  /**
   * Asks the user whether a turn of many requests continues. Without it such a turn stops only at a limit set by hand.
   */
  readonly askToGoOn?: AskToGoOn | undefined;
  /** Messages of the user's for the turn that runs: they go with its next request. */
  readonly steer?: Steer | undefined;
  /** Whether a guest began the turn: every call is asked about, and nothing is looked up in other sessions. */
  readonly isGuest?: boolean | undefined;
  /** Names of the tools that are offered for this question. Default: all that are switched on. */
  readonly tools?: readonly string[] | undefined;
}

/** An app that may be shared. */
export interface AppInUse {
  readonly app: App;
  /** To be called once. */
  end(): void;
}

/** The users of a led conversation. */
export interface SessionUsers {
  /** Who is asked in the turn of this prompt. */
  askedIn(prompt: WaitingPrompt): Pick<AskOptions, 'approver' | 'askToGoOn' | 'isGuest'>;
  /** Ids of the calls that wait for an answer now. */
  openCalls(): readonly string[];
  /** Denies all that is asked now. */
  denyAll(): void;
}

/** What follows the journal of an open session. */
export interface Following {
  /** The journal has grown. */
  hint(): void;
  end(): void;
}

/** A signal of a leader. It passes by, and is not stored. */
export type LeadSignal =
  /** `after`: seq of the last event that was stored when the signal came. */
  | { readonly type: 'turn'; readonly promptId: string; readonly signal: TurnSignal; readonly after: number }
  /** A turn ended, with this signal. */
  | { readonly type: 'turn-end'; readonly how: TurnSignal['type'] }
  | { readonly type: 'activity' }
  | { readonly type: 'queue' }
  | { readonly type: 'notice'; readonly text: string }
  | ({ readonly type: 'problem'; readonly promptId: string; readonly hint?: string | undefined } & Problem)
  /** The session `before` was full: the conversation continues in another one. */
  | { readonly type: 'moved'; readonly before: string }
  | { readonly type: 'appended'; readonly events: number }
  /** A prompt was brought to the disk in `ms` milliseconds. */
  | { readonly type: 'prompt-stored'; readonly ms: number }
  /** Nothing is left of it here. */
  | { readonly type: 'rest' };

/** Why a prompt could have no turn. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The work that runs in a led conversation: a turn, or a command of the user's. */
export interface Work {
  readonly promptId: string;
  /** RFC 3339. */
  readonly since: string;
  readonly controller: AbortController;
}

/** The additions of a server, which begins the prompts that wait and closes an idle session. */
interface Hosting {
  readonly users: SessionUsers;
  /** How long an idle session stays open, in milliseconds. */
  readonly holdMs: number;
  readonly follow: (id: string) => Promise<Following>;
  /** The error that a caller is given where another process holds the journal. */
  readonly lockedError: (error: OllmError) => OllmError;
}

/** Runs a turn: `ask`, or a function in its place. */
export type Perform = (
  app: App,
  conversation: Conversation,
  input: TurnInput,
  options: AskOptions & { readonly signal: AbortSignal },
) => Promise<Observable<TurnSignal>>;

export interface LeaderOptions {
  /** @internal */
  readonly app: Pick<App, 'store' | 'config' | 'paths' | 'fileSystem' | 'log' | 'clock' | 'redactor'>;
  /** The app of the session's workspace. */
  readonly useApp: () => Promise<AppInUse>;
  /** Without it the leader works for one user, who begins each turn and closes the session. */
  readonly hosting?: Hosting | undefined;
  readonly perform: Perform;
  readonly onSignal: (signal: LeadSignal) => void;
}

/** What a turn is asked, and the conversation value that answers it. */
export interface Asked {
  readonly input: TurnInput;
  /** Default: the conversation of the leader. */
  readonly conversation?: Conversation | undefined;
}
