// How a tool, a hook or a server starts a program: without a shell, with a closed or given standard input, in its own
// process group, with limits that end the whole tree.

/** A program to start. */
export interface ProgramCall {
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly cwd: string;
  /** Bytes for standard input. Default: none, closed. */
  readonly input?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Bytes of output after which it is ended. */
  readonly maxOutputBytes?: number | undefined;
  /**
   * Whether standard error is kept apart, for a program whose answer is to be parsed. Default: it is part of the
   * output.
   */
  readonly errorsApart?: boolean | undefined;
  /** Whether it can write nothing and use no network, whatever the boundary allows. Default: no. */
  readonly readsOnly?: boolean | undefined;
  /** Called with the output as it is printed, as far as it is kept. */
  readonly onOutput?: ((chunk: Uint8Array) => void) | undefined;
}

/** How it ended. */
export interface ProgramOutcome {
  readonly status: 'exited' | 'timeout' | 'cancelled' | 'too-much-output';
  /**
   * Undefined if it was ended by a signal. In bubblewrap that is 128 and the number of the signal, as shells have it.
   */
  readonly exitCode: number | undefined;
  /** The signal that ended it. */
  readonly killedBy: string | undefined;
  /** Standard output and standard error, in the order of printing. */
  readonly output: Uint8Array;
  /** Standard error, if it was to be kept apart; then it is not in `output`. */
  readonly errors?: Uint8Array | undefined;
  /** Bytes that it printed beyond those. */
  readonly omittedBytes: number;
  /** Milliseconds. */
  readonly durationMs: number;
}

/**
 * Starts a program and waits for it. Processes that it leaves running are ended before this resolves.
 *
 * @throws ToolFailure if it cannot be started
 */
export type RunProgram = (call: ProgramCall, options: { readonly signal: AbortSignal }) => Promise<ProgramOutcome>;
