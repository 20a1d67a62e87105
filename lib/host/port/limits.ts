// How much of each thing a host has.

/** All in milliseconds or bytes, or a count. */
export interface HostLimits {
  /** How long a writer is held after the last turn. Default: 30 s. */
  readonly holdMs: number;
  /** How long a question waits. Default: the setting `approvals.timeoutSeconds`, 600 s. */
  readonly answerMs: number;
  /** Bytes that a follower keeps for slow subscribers. Default: 1 MiB. */
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
  /** Pages that wait for theirs. Default: 256. */
  readonly waitingPages: number;
  /** How long the reader of a stream may take nothing. Default: 30 s. */
  readonly stalledMs: number;
  /** How long an encrypted session stays open that is not used any more. Default: 15 min. */
  readonly unlockedMs: number;
  /** How long a session is listed among those of the server after its last turn. Default: 15 min; 200 at most. */
  readonly listedMs: number;
}
