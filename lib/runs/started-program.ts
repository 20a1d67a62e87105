// The process of an agent, in whatever protocol it speaks: started with its mark and its guard, its lines read with a
// bound, and ended with everything that it started. Its last lines are kept for the errors.
import { messageOf, OllmError } from '../errors/index.ts';
import { guardGroup } from '../platform/processes/death-guard.ts';
import { type LastingProcess, startLasting } from '../platform/processes/lasting-process.ts';
import { untilClosed } from '../platform/processes/pipes.ts';
import { startedBy } from '../platform/processes/process-tree.ts';
import { StartFailure } from '../platform/processes/start-failure.ts';
import { waitFor } from '../platform/waiting.ts';
import { endTree, MARK_VARIABLE } from './end-tree.ts';
import { linesOf } from './lines.ts';
import type { AgentProcess, AgentTurnEnd, RunnerRequest } from './runner.ts';

/** How long it may take until it has a session. */
const START_MS = 60_000;
/** How long it may take to end its turn after it was told to. */
const CANCEL_MS = 5_000;
/** How long its end, and its last lines, are waited for. */
const LAST_WORDS_MS = 1_000;
/** Lines of its own that an error shows. */
const LAST_LINES = 5;

/** Starts an agent; ends it again where it does not begin. @throws what `start` throws; the reason of the signal */
export async function begun<Agent extends { start(): Promise<void>; close(): Promise<void> }>(
  agent: Agent,
  { signal }: Pick<RunnerRequest, 'signal'>,
): Promise<Agent> {
  signal.throwIfAborted();
  try {
    await agent.start();
    return agent;
  } catch (error) {
    await agent.close();
    signal.throwIfAborted();
    throw error;
  }
}

export class StartedProgram {
  pid = 0;
  exited: AgentProcess['exited'] = Promise.resolve({ exitCode: undefined, killedBy: undefined });
  readonly #request: RunnerRequest;
  #child: LastingProcess | undefined;
  #ending: Promise<void> | undefined;
  #gone: Promise<string> | undefined;
  #problem: string | undefined;
  readonly #lastLines: string[] = [];

  constructor(request: RunnerRequest) {
    this.#request = request;
  }

  /** @throws OllmError AGENT_START_FAILED */
  async start(): Promise<LastingProcess> {
    const { argv, confined, workspace, env, mark } = this.#request;
    try {
      const start = confined ?? { argv };
      const own = { cwd: workspace, env: { ...env, [MARK_VARIABLE]: mark }, name: argv[0] };
      this.#child = await startLasting({ argv: start.argv, inherited: confined?.inherited, ...own });
    } catch (error) {
      confined?.end?.();
      if (error instanceof StartFailure) throw this.startFailed(error.message, error);
      throw error;
    }
    const child = this.#child;
    this.pid = child.pid;
    void this.#readErrors(child);
    const guard = await guardGroup(child.pid, `${MARK_VARIABLE}=${mark}`);
    this.exited = child.exited.then(async (exit) => {
      await endTree(mark, child);
      guard.release();
      confined?.end?.();
      return exit;
    });
    return child;
  }

  /**
   * Waits until a session is open. `saidIn`: the words of the program in an error.
   * @throws OllmError of `opening`; AGENT_START_FAILED: it has ended, or takes too long; the reason of the signal
   */
  async opened(opening: Promise<void>, saidIn?: (error: unknown) => string | undefined): Promise<void> {
    const { signal } = this.#request;
    const known = opening.catch(async (error: unknown) => {
      throw error instanceof OllmError ? error : this.startFailed(await this.whyBroken(error, saidIn?.(error)), error);
    });
    const waited = await waitFor(Promise.race([known, this.gone()]), { signal, timeoutMs: START_MS });
    if (waited.kind === 'timeout') throw this.startFailed(`It had no session after ${START_MS / 1000} s`);
    signal.throwIfAborted();
    if (waited.kind === 'done' && typeof waited.value === 'string') throw this.startFailed(waited.value);
  }

  /** Waits for the end of a turn, or of the program. One that does not obey the signal in time is ended. */
  async turnEnd(answered: Promise<AgentTurnEnd>, signal: AbortSignal): Promise<AgentTurnEnd> {
    const gone = this.gone().then((why) => this.broken(why));
    const waited = await waitFor(Promise.race([answered, gone]), { signal, graceMs: CANCEL_MS });
    if (waited.kind === 'done') {
      if (signal.aborted) return { ...waited.value, status: 'stopped' };
      return waited.value.status === 'stopped' ? this.#endedOrStopped(waited.value) : waited.value;
    }
    await this.end();
    return { status: 'stopped', reason: 'killed' };
  }

  /** A program that is being killed may still report its turn as cancelled. */
  async #endedOrStopped(stopped: AgentTurnEnd): Promise<AgentTurnEnd> {
    const waited = await waitFor(this.gone(), { timeoutMs: LAST_WORDS_MS });
    return waited.kind === 'done' ? this.broken(waited.value) : stopped;
  }

  /** Whether it runs, and nothing that it started does. */
  hasStartedNothing(): boolean {
    const { argv, mark } = this.#request;
    return startedBy(argv[0], `${MARK_VARIABLE}=${mark}`)?.length === 0;
  }

  async #readErrors({ errors }: LastingProcess): Promise<void> {
    for await (const line of linesOf(errors, () => undefined)) {
      if (line.trim() !== '') this.takeText('stderr', line);
    }
  }

  /** A line that is not of its protocol. */
  takeText(stream: 'stdout' | 'stderr', line: string): void {
    this.#lastLines.push(line.slice(0, 500));
    if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
    this.#request.onText(stream, line);
  }

  /** A line had more bytes than it may have: the program is ended. */
  overflow(): void {
    this.#problem = 'It sent a line of more than 32 MiB';
    void this.end();
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const { mark, confined } = this.#request;
    child.input.end();
    await endTree(mark, { ...child, isGuarded: confined?.guardsTree });
    await this.exited;
    child.output.destroy();
    child.errors.destroy();
  }

  /** Settles with a sentence when the program has ended. */
  gone(): Promise<string> {
    this.#gone ??= this.#whyGone();
    return this.#gone;
  }

  async #whyGone(): Promise<string> {
    const { exited, output, errors } = this.#child!;
    const { exitCode, killedBy } = await exited;
    await waitFor(untilClosed([output, errors]), { timeoutMs: LAST_WORDS_MS });
    return this.#problem ?? (killedBy ? `It was ended by ${killedBy}` : `It ended with exit code ${exitCode}`);
  }

  /** A connection breaks before its program has ended, which says more. `said`: the words of the program itself. */
  async whyBroken(error: unknown, said?: string): Promise<string> {
    if (said !== undefined) return this.#problem ?? said;
    const waited = await waitFor(this.gone(), { timeoutMs: LAST_WORDS_MS });
    return waited.kind === 'done' ? waited.value : (this.#problem ?? messageOf(error));
  }

  /** How a turn ends without an answer that is one. */
  broken(why: string): AgentTurnEnd {
    return { status: 'failed', reason: 'broken', message: `${why}${this.#printed}` };
  }

  /** The last lines that were not of its protocol. */
  get #printed(): string {
    return this.#lastLines.length === 0 ? '' : `. It printed: ${this.#lastLines.join('\n')}`;
  }

  startFailed(why: string, cause?: unknown): OllmError {
    const fact = `${this.#problem ?? why}${this.#printed || '.'}`;
    return new OllmError('AGENT_START_FAILED', `The agent could not be started. ${fact}`, {
      hint: `Try it by itself: ${this.#request.argv.join(' ')}`,
      cause,
    });
  }

  /** The program does not have the mode that was set. */
  notInMode(mode: string | boolean, why: string): OllmError {
    return new OllmError('RUNTIME_PERMISSION_NOT_SUPPORTED', `The agent does not take the mode “${mode}”: ${why}.`, {
      hint: 'This version of it is not known here, or runs.<agent>.mode is misspelt. Nothing was run.',
    });
  }
}
