// The port of the host: everything that a server needs below HTTP. Sessions with their turns, questions and followers,
// for any number of clients at once; workspaces; work that would hold up the thread that serves them. What these
// methods throw is an `OllmError`; each says which codes it adds. Nothing here knows HTTP.
import type { App } from '../app/app.ts';
import type { AppParts } from '../app/compose.ts';
import type { ConfigFlags } from '../config/types.ts';
import type { ErrorCode } from '../errors/index.ts';
import type { Holder, JsonObject } from '../journal/types.ts';
import type { ThinkingMode } from '../providers/thinking.ts';
import type { Access, Command, Preview } from '../tools/action.ts';
import type { Announced } from './server-file.ts';
import type { JobInput, JobName, JobOutput, StreamInput, StreamName } from './work/jobs.ts';

/** Made by `openHost`. To be closed when the server ends. */
export interface Host {
  /** A random name of this run of the server, new at each start. */
  readonly instance: string;
  /**
   * Of the directory that the server was started in: for lists, searches, titles and whatever belongs to no workspace.
   */
  readonly app: App;
  readonly workspaces: Workspaces;
  readonly sessions: HostedSessions;
  readonly questions: Questions;
  readonly locks: Locks;
  readonly followers: Followers;
  readonly work: WorkerPool;
  /** For `/metrics` and `/health`. */
  figures(): HostFigures;
  /**
   * Says at which address this server is reached, where the file of its token is, and by which certificate it is known,
   * in `$OLLM_HOME/run/server.json` (0600). Until then, and after `close`, no other process asks it for a session.
   */
  announce(address: string, known?: Pick<Announced, 'tokenFile' | 'certificate'>): Promise<void>;
  /**
   * Refuses new work with SERVER_CLOSING, denies open questions, ends running turns in order (at most 10 s), ends the
   * subscriptions, closes the journals, ends the workers, withdraws the announcement. May be called twice.
   */
  close(): Promise<void>;
}

/** Now, and since the start. */
export interface HostFigures {
  /** Sessions whose writer this host holds. */
  readonly held: number;
  /** Turns that run, wait for an answer of a user, or wait in a queue. */
  readonly turns: { readonly running: number; readonly waiting: number; readonly queued: number };
  /** Turns that ended, by how: `done`, `error`, `cancelled`. */
  readonly ended: Readonly<Record<string, number>>;
  readonly appends: number;
  /** Prompts that were stored on the disk before they were accepted, and how long that took in all. */
  readonly synced: { readonly prompts: number; readonly ms: number };
  readonly followers: number;
  readonly subscribers: number;
  /** Subscribers that were told to return because they were further behind than the ring. */
  readonly evictions: number;
  readonly workspaces: number;
  readonly work: { readonly running: number; readonly waiting: number; readonly refused: number };
}

// ── Workspaces
// ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A directory in which a session may be started. */
export interface Workspace {
  /** Absolute, with its links resolved. */
  readonly path: string;
  /** Why it may be used: a setting (`server.workspaces`), a session that was led there, or the owner opened it. */
  readonly because: 'setting' | 'session' | 'opened';
}

export interface Workspaces {
  /**
   * The directory behind a path, absolute and with its links resolved.
   * @throws OllmError WORKSPACE_NOT_ALLOWED: not absolute, not there, not a directory, or not one that may be used. The
   * answer is the same for all four, so that it says nothing about the disk.
   */
  resolve(path: string): Promise<string>;
  /** Those that are known by name: directories of the setting itself, those of sessions, those that were opened. */
  list(): Promise<readonly Workspace[]>;
  /** Allows one, permanently: as the owner at the machine. @throws OllmError WORKSPACE_NOT_ALLOWED: not a directory */
  open(path: string): Promise<Workspace>;
  /**
   * Runs `work` with the app of this workspace. The app stays as long as `work` runs, and a while afterwards.
   * @throws OllmError WORKSPACE_NOT_ALLOWED, CONFIG_INVALID, and what `work` throws
   */
  with<Result>(path: string, work: (app: App) => Promise<Result>): Promise<Result>;
}

// ── Sessions
// ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** On whose behalf something is done: it is stored with the fact. */
export interface Actor {
  /** A name, such as that of a token. Absent: the owner. */
  readonly author?: string | undefined;
  /** Network address, without the port. */
  readonly address?: string | undefined;
}

/** What a user says in a turn. */
export interface PromptRequest {
  readonly text: string;
  /**
   * Images and files that go along, by path: in the workspace, or in `$OLLM_HOME/assets`. At most 20.
   */
  readonly attachments?: readonly string[] | undefined;
  /** Answers this turn and those after it. Absent: as the session was left. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: ThinkingMode | undefined;
  /**
   * What happens to calls that the policy asks about: `ask` puts a question, `deny` denies without one. Default: `ask`.
   * `allow` lets them run, except dangerous ones, which are asked about; it is refused with UNATTENDED_NOT_ALLOWED
   * unless `server.allowUnattended` is set.
   */
  readonly permissions?: 'ask' | 'deny' | 'allow' | undefined;
  readonly by?: Actor | undefined;
}

export interface StartRequest extends PromptRequest {
  /** Absent: the directory that the server was started in. */
  readonly workspace?: string | undefined;
  /** A name for it, which becomes id and title. Absent: a random id. */
  readonly name?: string | undefined;
}

/** A prompt that was taken. Its turn runs, or waits in the queue. */
export interface Accepted {
  /**
   * The session of the turn. Another one than was named, where that belongs to another program: a fork of its import.
   */
  readonly sessionId: string;
  /** Of this prompt, in the queue and in signals. */
  readonly promptId: string;
  /** How many prompts come before it: 0, it is the next one or runs already. */
  readonly ahead: number;
}

/**
 * A prompt that waits for its turn. It is stored before it is answered for, as `queue.changed`: after a stop or a kill
 * of the server the next one continues with it. While another process holds the journal no prompt is taken.
 */
export interface QueuedPrompt extends PromptRequest {
  readonly promptId: string;
  /** RFC 3339. */
  readonly queuedAt: string;
}

/**
 * Own sessions in this host. An `id` is the full id of a session of ours. The writer of a session is held while a turn
 * runs or waits, and 30 s after; it is opened when it is needed.
 *
 * Every method that writes throws SESSION_LOCKED where another process holds the journal, with `data.holder` (pid,
 * command, since) and, where that is another server, NOT_OWNER with `data.instance` and `data.address`;
 * SESSION_NOT_FOUND; SERVER_CLOSING; and what the journal throws (JOURNAL_FULL, JOURNAL_DAMAGED, …).
 */
export interface HostedSessions {
  /**
   * Makes a session and begins its first turn. Resolves once the session is there, its writer held: what is wrong with
   * the model or the workspace is thrown, what happens afterwards comes by a subscription.
   * @throws OllmError WORKSPACE_NOT_ALLOWED, SESSION_EXISTS, SESSION_ID_INVALID, USAGE (empty prompt, attachments),
   * PROVIDER_*, MODEL_NOT_FOUND, THINKING_MODE_NOT_SUPPORTED, UNATTENDED_NOT_ALLOWED
   */
  start(request: StartRequest): Promise<Accepted>;
  /**
   * The next turn of a session that is there; it waits in the queue while one runs. `id` may also be the address of a
   * session of another program (`claude:…`): it is imported, and its fork continues.
   * @throws OllmError as `start`, and QUEUE_FULL (64 prompts wait)
   */
  prompt(id: string, request: PromptRequest): Promise<Accepted>;
  /** Those that wait, the next one first. */
  queue(id: string): readonly QueuedPrompt[];
  /** Changes one that waits. @throws OllmError PROMPT_NOT_FOUND: it runs already, ended or never was */
  editQueued(id: string, promptId: string, change: Pick<PromptRequest, 'text'>): Promise<QueuedPrompt>;
  /** Takes one out that waits. @throws OllmError PROMPT_NOT_FOUND */
  removeQueued(id: string, promptId: string): Promise<QueuedPrompt>;
  /** Cancels the turn that runs; resolves once its end is stored. `stopped`: whether one ran. The queue continues. */
  stop(id: string): Promise<{ readonly stopped: boolean }>;
  /** Takes back the last turn: what was said in it; undefined if there is none. @throws OllmError SESSION_BUSY */
  undo(id: string, by?: Actor): Promise<{ readonly text: string } | undefined>;
  /**
   * Goes back to what was undone; resolves with the event that the conversation continues after.
   * @throws OllmError SESSION_BUSY, SEQ_NOT_FOUND, USAGE (the event was not undone)
   */
  returnToBranch(id: string, seq: number): Promise<number>;
  /** Makes room in the window now. @throws OllmError SESSION_BUSY, COMPACTION_FAILED */
  compact(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Compacted>;
  /** A new session that begins as this one did. Reads only, so that it works beside any holder. */
  fork(id: string, request?: ForkRequest): Promise<{ readonly sessionId: string; readonly at: number }>;
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
  /** The same for how much a model thinks. @throws OllmError THINKING_MODE_NOT_SUPPORTED */
  setThinking(id: string, mode: ThinkingMode): Promise<void>;
  /**
   * How the session is, from its journal, and from this host where it holds it. The same before and after a restart.
   * @throws OllmError SESSION_NOT_FOUND
   */
  snapshot(id: string): Promise<SessionSnapshot>;
  /** Of sessions that this host holds, and of those that it held since its start; the newest activity first. */
  snapshots(): Promise<readonly SessionSnapshot[]>;
  /** Resolves with the snapshot once no turn runs or waits in the queue. Rejects if `signal` is aborted. */
  wait(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<SessionSnapshot>;
  /** The other process that has it open for writing, as far as its journal says. */
  holder(id: string): Promise<Holder | undefined>;
  /** What this host does with it. Reads nothing from the disk. */
  activity(id: string): SessionActivity;
  /**
   * Another process of the same user wants to write the session, such as `ollm repl --resume`. Where it is free its
   * writer is closed, and kept closed until that process has opened it, for 10 s at most: meanwhile a prompt is refused
   * with SESSION_LOCKED, and `retryAfterMs` in its data. Where a turn runs, says which one; with `wait`, resolves with
   * `free` once that turn has ended, before the next prompt of the queue: those wait until the other process has closed
   * the session.
   */
  handOver(id: string, options?: HandOverOptions): Promise<HandOver>;
}

export interface ForkRequest {
  /** The last event that comes along. Default: the newest. */
  readonly at?: number | undefined;
  readonly name?: string | undefined;
}

export interface Compacted {
  /** Seq of the compaction. Undefined: there was nothing to make room with. */
  readonly seq: number | undefined;
  readonly tokensBefore: number | undefined;
  readonly tokensAfter: number | undefined;
}

/** `not-held`: this host does not hold its writer. `free`: it holds it, and nothing runs. */
export type SessionActivity =
  | { readonly kind: 'not-held' }
  | { readonly kind: 'free' }
  | {
      readonly kind: 'running' | 'waiting';
      readonly promptId: string;
      /** RFC 3339: when the turn began. */
      readonly since: string;
      readonly queued: number;
      /** Ids of the questions that it waits for. */
      readonly questions: readonly string[];
    };

export interface HandOverOptions {
  readonly wait?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type HandOver =
  /** The writer is closed, or was not held. */
  | { readonly kind: 'free' }
  | { readonly kind: 'busy'; readonly activity: Extract<SessionActivity, { readonly promptId: string }> };

/** How a session is: a fold over its journal. `ProviderSessionSnapshot` of the LLM module, for the provider `ollm`. */
export interface SessionSnapshot {
  readonly sessionId: string;
  readonly provider: 'ollm';
  readonly family: 'sdk';
  /**
   * Of the last turn. `starting`: taken, not yet begun. `waiting`: for an answer of a user. A turn that no process
   * leads any more is `failed`, with the code INTERRUPTED.
   */
  readonly status: 'starting' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  /** RFC 3339: of the last turn; of the session, where there is none. */
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  /** Which provider of ollm answers. */
  readonly answerer: string;
  readonly model?: string | undefined;
  readonly thinkingMode?: ThinkingMode | undefined;
  readonly workspacePath?: string | undefined;
  readonly title?: string | undefined;
  /** The server that holds it, and alone can stop it; absent where none does. */
  readonly instanceId?: string | undefined;
  /** Each change of the status in the last turn, with its time. */
  readonly transitions: readonly { readonly status: SessionSnapshot['status']; readonly at: string }[];
  /** The last 2,000 of the last turn. */
  readonly events: readonly SnapshotEvent[];
  readonly error?: string | undefined;
  /** The last event of the journal that this says. */
  readonly seq: number;
}

/** `ProviderSessionEvent` of the LLM module. */
export interface SnapshotEvent {
  readonly timestamp: string;
  readonly channel: 'sdk' | 'system' | 'error';
  readonly message?: string | undefined;
  /** The stored event: seq, ts, type, turn, data. */
  readonly data?: JsonObject | undefined;
}

// ── Questions
// ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type AnswerDecision = 'once' | 'always' | 'never' | 'no';

/** What a user is asked before a call runs, in full; or whether a long turn continues. */
export interface Question {
  readonly id: string;
  readonly sessionId: string;
  /** `call`: may this call run. `go-on`: may a turn of so many requests continue; answered with `once` or `no`. */
  readonly kind: 'call' | 'go-on';
  /** What an answer is good for: 64 hexadecimal digits. Of a call it is the `actionHash` that is stored with it. */
  readonly hash: string;
  /** One line for people. */
  readonly summary: string;
  readonly reason: string;
  readonly call?: QuestionedCall | undefined;
  /** The answers that count. `always` and `never` only where one rule says it. */
  readonly answers: readonly AnswerDecision[];
  /** `owner`: only an actor without a name, or one that the server takes for the owner. */
  readonly mayAnswer: 'owner';
  /** RFC 3339. */
  readonly askedAt: string;
  /** RFC 3339: when it is denied without an answer. */
  readonly expiresAt: string;
}

export interface QuestionedCall {
  readonly callId: string;
  readonly tool: string;
  /** As the model gave them. */
  readonly args: unknown;
  readonly isReadOnly: boolean;
  readonly isRemote: boolean;
  readonly command?: Command | undefined;
  readonly accesses: readonly Access[];
  readonly preview?: Preview | undefined;
  /** The boundary that it would run in, or why there is none. */
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
  /** Of what the user saw. */
  readonly hash: string;
  /** With `no`: what the model is told. */
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

export interface Questions {
  /** Those that are open, of one session or of all; the oldest first. */
  list(sessionId?: string): readonly Question[];
  /** One that is open, or ended since the start (the last 1,000). @throws OllmError QUESTION_NOT_FOUND */
  get(sessionId: string, id: string): { readonly question: Question; readonly end?: QuestionEnd | undefined };
  /**
   * The first answer wins. It resolves when it is taken; the turn stores it as the event `tool.decided`, with author
   * and address.
   * @throws OllmError QUESTION_NOT_FOUND; ALREADY_DECIDED, with `data.end`: a `QuestionEnd`; QUESTION_CHANGED: the hash
   * is of something else, with `data.hash`; USAGE: a decision that is not offered; NOT_ALLOWED_TO_ANSWER
   */
  answer(sessionId: string, id: string, answer: Answer): Promise<QuestionEnd>;
}

// ── Encrypted sessions
// ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Encrypted sessions that a passphrase opened in this host. Their keys are in memory alone. */
export interface Locks {
  /**
   * Opens a session by its passphrase, until `lock`, or until it was not used for 15 minutes: no client follows it, and
   * no turn of it runs or waits. One passphrase is tried at a time.
   * @throws OllmError SESSION_NOT_FOUND, KEY_WRONG, KEY_UNUSABLE, SESSION_ENCRYPTED (a key file opens it); BUSY, with
   * `data.retryAfterMs`: one is being tried, or five in a row were wrong
   * @returns its full id, as does `lock`
   */
  unlock(id: string, passphrase: string): Promise<string>;
  /**
   * Forgets its key, and ends its subscriptions. Sessions that the same passphrase opened with it, such as its forks,
   * are locked too.
   * @throws OllmError SESSION_BUSY: a turn runs or waits in one of them
   */
  lock(id: string): Promise<string>;
  /** Ids of those that a passphrase has opened. */
  unlocked(): ReadonlySet<string>;
}

// ── Followers
// ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * What a subscriber is sent. Items of live sessions are made once and handed to all subscribers as the same object:
 * what is made of one (such as its bytes) can be kept in a WeakMap. `data` is JSON of one line.
 */
export type Delivery =
  /** The first item. `head`: the id of the last stored event now; what comes behind it is live. */
  | { readonly kind: 'hello'; readonly data: string; readonly head: string | undefined }
  /** The text of the message under way, as far as it has come; sent where there is one, before the live items. */
  | { readonly kind: 'partial'; readonly data: string }
  /** A stored event. `id` is its seq; of a session of another program `generation.seq`. */
  | { readonly kind: 'event'; readonly id: string; readonly type: string; readonly data: string }
  /** Passes by, and is never sent again: see `HostSignal`. */
  | { readonly kind: 'signal'; readonly type: HostSignal['type']; readonly data: string }
  /**
   * What this subscriber knows is out of date: the generation of its id is gone, or the journal was replaced. `data`
   * has the reason. The session follows from its beginning.
   */
  | { readonly kind: 'reset'; readonly data: string }
  /** The last item. `behind`: return with the last id. `closing`: the server ends. `gone`: the session was removed. */
  | { readonly kind: 'end'; readonly reason: 'behind' | 'closing' | 'gone' | 'failed'; readonly data: string };

/** What `data` of a signal holds, besides `sessionId`. */
export type HostSignal =
  /**
   * The signals of a running turn, as `TurnSignal` has them, each with its `promptId`. Deltas are joined: at most one
   * each 15 ms.
   */
  | { readonly type: 'turn'; readonly promptId: string; readonly signal: JsonObject }
  | { readonly type: 'activity'; readonly activity: SessionActivity }
  | { readonly type: 'queue'; readonly queue: readonly QueuedPrompt[] }
  | { readonly type: 'question'; readonly question: Question }
  | { readonly type: 'question-end'; readonly end: QuestionEnd }
  /** Something went wrong before a turn had begun, so that no event says it. */
  | {
      readonly type: 'problem';
      readonly promptId: string;
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint?: string | undefined;
    }
  /** Something the user should know, such as what the opening of the session found. */
  | { readonly type: 'notice'; readonly text: string }
  /** The session is full (`retention.maxItems`): it continues in another one, and so does its queue. */
  | { readonly type: 'moved'; readonly to: string }
  | { readonly type: 'damage'; readonly reason: string };

export interface SubscribeOptions {
  /**
   * Id of the last stored event that the subscriber has: it is sent everything behind it, from the file in slices of
   * 64 KiB until it is in the ring. `start`: from the first event. Absent: only what comes from now on.
   */
  readonly after?: string | undefined;
  /** Ends the subscription, without an error. */
  readonly signal: AbortSignal;
}

export interface Followers {
  /**
   * The events of one session and its signals, of any session: `id` is one of ours, or an address of another program's.
   * One follower reads for all subscribers. Batches are pulled: the next one is made when the subscriber asks for it,
   * so that one that waits for its socket holds up only itself.
   * @throws OllmError SESSION_NOT_FOUND, USAGE (`after` is not an id), and what the reader throws: before the first
   * batch
   */
  subscribe(id: string, options: SubscribeOptions): AsyncIterable<readonly Delivery[]>;
}

// ── Work in other threads
// ─────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Queries, replays, exports and searches: they run in worker threads, so that the thread that serves events is never
 * held up. Each worker has an app of its own over the same files.
 */
export interface WorkerPool {
  /**
   * @throws OllmError BUSY, with `data.retryAfterMs`: as many jobs wait as may; TIME_LIMIT; INTERRUPTED: `signal` was
   * aborted; and what the job throws, with its code, hint and data
   */
  run<Name extends JobName>(name: Name, input: JobInput<Name>, options?: JobOptions): Promise<JobOutput<Name>>;
  /**
   * UTF-8 in pieces as it is made. A reader that stops, or is slow, stops or slows the job; one that takes nothing for
   * 30 s has lost it (TIME_LIMIT).
   *
   * @throws OllmError as `run`
   */
  stream<Name extends StreamName>(
    name: Name,
    input: StreamInput<Name>,
    options?: JobOptions,
  ): AsyncGenerator<Uint8Array, void, void>;
}

export interface JobOptions {
  readonly signal?: AbortSignal | undefined;
  /** From its beginning, in milliseconds. Default: 30 s; of a stream 10 minutes. */
  readonly timeLimitMs?: number | undefined;
  /** The workspace whose settings count. Default: the directory of the server. */
  readonly workspace?: string | undefined;
}

export type { JobInput, JobName, JobOutput, StreamInput, StreamName };

/** What a host is made of. */
export interface HostOptions {
  /** As `createApp` takes them. */
  readonly env: App['env'];
  readonly cwd: string;
  readonly flags?: ConfigFlags | undefined;
  /** Default: “ollm serve”. */
  readonly command?: string | undefined;
  /** Parts to use instead of the real ones, for tests. Workers have the real ones. */
  readonly parts?: AppParts | undefined;
  /** Numbers that tests make small. */
  readonly limits?: Partial<HostLimits> | undefined;
}

/** All in milliseconds or bytes, or a count. */
export interface HostLimits {
  /** How long a writer is held after the last turn. Default: 30 s. */
  readonly holdMs: number;
  /** How long a question waits. Default: the setting `approvals.timeoutSeconds`, 600 s. */
  readonly answerMs: number;
  /** What a follower keeps for subscribers that are behind. Default: 1 MiB. */
  readonly ringBytes: number;
  /** What a subscriber is handed at most at once. Default: 64 KiB; a longer event is a batch of its own. */
  readonly sliceBytes: number;
  /** Prompts that wait in one session. Default: 64. */
  readonly queueLength: number;
  /** Apps of workspaces. Default: 20. */
  readonly workspaces: number;
  /** Threads for jobs. Default: 2. */
  readonly threads: number;
  /** Threads for streams. Default: 4. */
  readonly streams: number;
  /** Jobs that wait for a thread, and streams that do. Default: 32 of each. */
  readonly waitingJobs: number;
  /** How long the reader of a stream may take nothing. Default: 30 s. */
  readonly stalledMs: number;
  /** How long an encrypted session stays open that is not used any more. Default: 15 min. */
  readonly unlockedMs: number;
}
