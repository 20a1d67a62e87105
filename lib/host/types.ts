// The port of the host: everything that a server needs below HTTP. Sessions with their turns, questions and followers,
// for any number of clients at once; workspaces; work that would hold up the thread that serves them. What these
// methods throw is an `OllmError`; each says which codes it adds. Nothing here knows HTTP.
import type { App } from '../app/app.ts';
import type { AppParts } from '../app/compose.ts';
import type { ConfigFlags, ResolvedConfig } from '../config/types.ts';
import type { FollowersPort } from './port/followers.ts';
import type { HostLimits } from './port/limits.ts';
import type { LocksPort } from './port/locks.ts';
import type { QuestionsPort } from './port/questions.ts';
import type { RunsPort } from './port/runs.ts';
import type { HostedSessionsPort } from './port/sessions.ts';
import type { WorkspacesPort } from './port/workspaces.ts';
import type { Announced } from './server-file.ts';
import type { JobInput, JobName, JobOutput, StreamInput, StreamName } from './work/jobs.ts';

/** Made by `openHost`. To be closed when the server ends. */
export interface Host {
  /** A random name of this run of the server, new at each start. */
  readonly instance: string;
  /**
   * The app of the directory that the server was started in: for lists, searches, titles and everything outside a
   * workspace.
   */
  readonly app: App;
  readonly workspaces: WorkspacesPort;
  readonly sessions: HostedSessionsPort;
  /** Agents of other makers that work here. */
  readonly runs: RunsPort;
  readonly questions: QuestionsPort;
  readonly locks: LocksPort;
  readonly followers: FollowersPort;
  readonly work: WorkerPool;
  /** Changes the settings of later turns, in all workspaces. No file is written by this. */
  changeConfig(change: (config: ResolvedConfig) => ResolvedConfig): void;
  /** For `/metrics` and `/health`. */
  figures(): HostFigures;
  /**
   * Says at which address this server is reached, where the file of its token is, and by which certificate it is known,
   * in `$OLLM_HOME/run/server-<instance>.json` (0600). Until then, and after `close`, no other process asks it for a
   * session.
   */
  announce(address: string, known?: Pick<Announced, 'tokenFile' | 'certificate' | 'browserAddress'>): Promise<void>;
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
  /** Sessions in which another agent works, by agent. */
  readonly runs: Readonly<Record<string, number>>;
  /** Turns that ended, by how: `done`, `error`, `cancelled`. */
  readonly ended: Readonly<Record<string, number>>;
  readonly appends: number;
  /** Prompts that were stored on the disk before they were accepted, and how long that took in all. */
  readonly synced: { readonly prompts: number; readonly ms: number };
  readonly followers: number;
  readonly subscribers: number;
  /** Subscribers that were told to subscribe again because they needed events older than the ring. */
  readonly evictions: number;
  readonly workspaces: number;
  readonly work: { readonly running: number; readonly waiting: number; readonly refused: number };
}

/**
 * Queries, replays, exports and searches: they run in worker threads, so that the thread that serves events is never
 * held up. Each worker has an app of its own over the same files.
 */
export interface WorkerPool {
  /**
   * @throws OllmError BUSY, with `data.retryAfterMs`: the queue of jobs is full; TIME_LIMIT; INTERRUPTED: `signal` was
   * aborted; and the error of the job, with its code, hint and data
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
