// Sessions in which an agent of another maker works, led by this host. An address is that of the agent's session.
import type { Accepted, PromptRequest } from './prompts.ts';
import type { SessionActivity, SessionSnapshot } from './snapshots.ts';

/** A prompt for an agent. */
export interface RunRequest extends PromptRequest {
  readonly agent: string;
  /** Where a new session works. Absent: the directory that the server was started in. */
  readonly workspace?: string | undefined;
}

/** How a session is, from its journal: see `SessionSnapshot`. */
export interface RunSnapshot extends Omit<SessionSnapshot, 'provider' | 'family'> {
  /** The name of the agent. */
  readonly provider: string;
  readonly family: 'sdk' | 'cli' | 'acp';
}

export interface RunsPort {
  /**
   * Starts the agent in a new session. Resolves once the prompt is on the disk.
   * @throws OllmError as `openRun`; WORKSPACE_NOT_ALLOWED, BUSY, SERVER_CLOSING, USAGE
   */
  start(request: RunRequest): Promise<Accepted>;
  /** The next prompt of a session, in which its agent goes on. @throws OllmError as `start`; QUEUE_FULL */
  prompt(address: string, request: RunRequest): Promise<Accepted>;
  /**
   * Has the agent of a session work otherwise from its next turn on; one that does not run is started.
   * @throws OllmError as `start`; MODEL_NOT_FOUND, MODEL_SWITCH_NOT_SUPPORTED, THINKING_MODE_NOT_SUPPORTED
   */
  change(
    address: string,
    choice: { readonly model?: string | undefined; readonly thinking?: string | undefined },
  ): Promise<void>;
  /** Cancels the turn that runs, and waits for its end. @throws OllmError NOT_OWNER */
  stop(address: string): Promise<{ readonly stopped: boolean }>;
  /** Resolves once nothing runs and nothing waits in the session. */
  wait(address: string, signal: AbortSignal): Promise<void>;
  /** `upTo`: the event that stored a prompt, which waits then. @throws OllmError SESSION_NOT_FOUND */
  snapshot(address: string, upTo?: number): Promise<RunSnapshot>;
  /** The addresses of an agent's sessions that were led here, the newest first: 200 at most of all agents. */
  lately(agent: string): readonly string[];
  /** The journal of a session, by its id, where this host leads it or did so. */
  journalOf(address: string): string | undefined;
  /** Undefined of a session that is not led here. `id`: of its journal. */
  activity(id: string): SessionActivity | undefined;
}
