// Sessions in which an agent of another maker works, led by this host. An address is that of the agent's session.
import type { PromptRequest } from './prompts.ts';

/** A prompt for an agent. */
export interface RunRequest extends PromptRequest {
  readonly agent: string;
  /** Where a new session works. Absent: the directory that the server was started in. */
  readonly workspace?: string | undefined;
  /** UUID of a new session, for an agent that takes one. */
  readonly id?: string | undefined;
  /** Goes on with a session that another process may work with. */
  readonly force?: boolean | undefined;
}
