// The ports of a conversation's leader: the parts that it is given, and the signals that it sends.
import type { App } from '../app/app.ts';
import type { ErrorCode, OllmError } from '../errors/index.ts';
import type { WaitingPrompt } from '../projections/queue.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { AskOptions } from './ask.ts';

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

export interface LeaderOptions {
  readonly app: Pick<App, 'store' | 'config' | 'paths' | 'fileSystem' | 'log' | 'clock' | 'redactor'>;
  /** The app of the session's workspace. */
  readonly useApp: () => Promise<AppInUse>;
  readonly users: SessionUsers;
  /** How long an idle session stays open, in milliseconds. */
  readonly holdMs: number;
  readonly follow: (id: string) => Promise<Following>;
  /** The error that a caller is given where another process holds the journal. */
  readonly lockedError: (error: OllmError) => OllmError;
  readonly onSignal: (signal: LeadSignal) => void;
}
