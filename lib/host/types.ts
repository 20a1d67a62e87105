// The options of a host, the work that it gives to threads, and its figures.
import type { App } from '../app/app.ts';
import type { AppParts } from '../app/compose.ts';
import type { ConfigFlags } from '../config/types.ts';
import type { HostLimits } from './port/limits.ts';
import type { JobInput, JobName, JobOutput, StreamInput, StreamName } from './work/jobs.ts';

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
