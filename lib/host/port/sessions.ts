// Sessions of ollm that this host leads.
import type { RevertedFile } from '../../app/sessions/change/revert-files.ts';
import type { ShownFile } from '../../app/sessions/change/revert-shown.ts';
import type { Holder } from '../../journal/types.ts';
import type { ThinkingMode } from '../../providers/thinking.ts';
import type { Accepted, Actor, PromptRequest, QueuedPrompt, StartRequest } from './prompts.ts';
import type { SessionActivity, SessionSnapshot, SnapshotOf } from './snapshots.ts';

/**
 * Own sessions in this host. An `id` is the full id of a session of ollm. The writer of a session is held while a turn
 * runs or waits, and 30 s after; it is opened when it is needed.
 *
 * Every method that writes throws SESSION_LOCKED if another process holds the journal, with `data.holder` (pid,
 * command, since), and NOT_OWNER with `data.instance` and `data.address` if that process is a server;
 * SESSION_NOT_FOUND; SERVER_CLOSING; and the errors of the journal (JOURNAL_FULL, JOURNAL_DAMAGED, …).
 */
export interface HostedSessionsPort {
  /**
   * Makes a session and begins its first turn. Resolves once the session exists and its writer is held. Throws faults
   * of the model or the workspace; later events come by a subscription.
   * @throws OllmError WORKSPACE_NOT_ALLOWED, SESSION_EXISTS, SESSION_ID_INVALID, USAGE (empty prompt, attachments),
   * PROVIDER_*, MODEL_NOT_FOUND, THINKING_MODE_NOT_SUPPORTED, UNATTENDED_NOT_ALLOWED
   */
  start(request: StartRequest): Promise<Accepted>;
  /**
   * The next turn of a session that is there; it waits in the queue while one runs. `id` may also be the address of a
   * session of another program (`claude:…`): it is imported, and its fork continues.
   * `insteadOf`: an event of a turn that this one takes the place of. That turn and what followed are aside then.
   * @throws OllmError as `start`, and QUEUE_FULL (64 prompts wait); with `insteadOf` SESSION_BUSY, SEQ_NOT_FOUND
   */
  prompt(id: string, request: PromptRequest, options?: { readonly insteadOf?: number | undefined }): Promise<Accepted>;
  /** The prompts that wait, the next one first, also those of another process. @throws OllmError SESSION_NOT_FOUND */
  queue(id: string): Promise<readonly QueuedPrompt[]>;
  /** Changes one that waits. @throws OllmError PROMPT_NOT_FOUND: it runs already, ended or never was */
  editQueued(id: string, promptId: string, change: Pick<PromptRequest, 'text'>): Promise<QueuedPrompt>;
  /** Takes one out that waits. @throws OllmError PROMPT_NOT_FOUND */
  removeQueued(id: string, promptId: string): Promise<QueuedPrompt>;
  /** Cancels the turn that runs; resolves once its end is stored. `stopped`: whether one ran. The queue continues. */
  stop(id: string): Promise<{ readonly stopped: boolean }>;
  /** Takes back the last turn, and returns its text; undefined if there is none. @throws OllmError SESSION_BUSY */
  undo(id: string, by?: Actor): Promise<{ readonly text: string } | undefined>;
  /**
   * Returns to a branch that was undone; resolves with the event that the conversation continues after.
   * @throws OllmError SESSION_BUSY, SEQ_NOT_FOUND, USAGE (the event was not undone)
   */
  returnToBranch(id: string, seq: number): Promise<number>;
  /**
   * Puts files back that tools changed, as they were shown.
   * @throws OllmError SESSION_BUSY, USAGE (no tool changed such a file)
   */
  revert(id: string, shown: readonly ShownFile[]): Promise<readonly RevertedFile[]>;
  /** Makes room in the window now. @throws OllmError SESSION_BUSY, COMPACTION_FAILED */
  compact(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<SessionCompacted>;
  /** A new session that begins like this one. Only reads it, so that it works while any process holds it. */
  fork(id: string, request?: HostForkRequest): Promise<{ readonly sessionId: string; readonly at: number }>;
  /** Names it. @throws OllmError SESSION_ID_INVALID (a secret in it) */
  rename(id: string, title: string): Promise<void>;
  /** Moves it to the trash. @throws OllmError SESSION_BUSY: a turn runs or waits */
  remove(id: string): Promise<void>;
  /**
   * Which model answers from the next turn on, in this run and all later ones. Stored as `model.changed`.
   * @throws OllmError MODEL_NOT_FOUND, PROVIDER_*
   */
  setModel(
    id: string,
    model: string,
    provider?: string,
  ): Promise<{ readonly provider: string; readonly model: string }>;
  /** Sets how much a model thinks, like `setModel`. @throws OllmError THINKING_MODE_NOT_SUPPORTED */
  setThinking(id: string, mode: ThinkingMode): Promise<void>;
  /**
   * How the session is, from its journal, and from this host where it holds it. The same before and after a restart.
   * @throws OllmError SESSION_NOT_FOUND
   */
  snapshot(id: string): Promise<SessionSnapshot>;
  /** How the session was when the prompt was stored: its status is never a final one. */
  snapshotAt(accepted: Accepted): Promise<SessionSnapshot>;
  /** What a snapshot says that is in no journal: for the jobs `snapshot` and `snapshots`. */
  snapshotOf(id: string): Promise<SnapshotOf>;
  /** Ids of sessions that this host holds, or held since its start: 200 at most, the last one first. */
  lately(): readonly string[];
  /** Resolves with the snapshot once no turn runs or waits in the queue. Rejects if `signal` is aborted. */
  wait(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<SessionSnapshot>;
  /** The other process that has it open for writing, as far as its journal says. */
  holder(id: string): Promise<Holder | undefined>;
  /** What this host does with it. Reads nothing from the disk. */
  activity(id: string): SessionActivity;
  /**
   * Another process of the same user wants to write the session, such as `ollm repl --resume`. If the session is free,
   * its writer is closed, and kept closed until that process has opened it, for 10 s at most: meanwhile a prompt is
   * refused with SESSION_LOCKED, and `retryAfterMs` in its data. If a turn runs, answers with that turn; with `wait`,
   * resolves with `free` once that turn has ended, before the next prompt of the queue: queued prompts wait until the
   * other process has closed the session.
   */
  handOver(id: string, options?: HandOverOptions): Promise<HandOver>;
}

export interface HostForkRequest {
  /** The last event that comes along. Default: the newest. */
  readonly at?: number | undefined;
  readonly name?: string | undefined;
}

export interface SessionCompacted {
  /** Seq of the compaction. Undefined: there was nothing to make room with. */
  readonly seq: number | undefined;
  readonly tokensBefore: number | undefined;
  readonly tokensAfter: number | undefined;
}

export interface HandOverOptions {
  readonly wait?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type HandOver =
  /** The writer is closed, or was not held. */
  | { readonly kind: 'free' }
  | { readonly kind: 'busy'; readonly activity: Extract<SessionActivity, { readonly promptId: string }> };
