// What a user says in a turn, how it is taken, and how it waits.
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';
import type { ThinkingMode } from '../../providers/thinking.ts';
import type { Answerer } from '../../tools/decision.ts';
import type { ToolMode } from '../../tools/modes.ts';

/** On whose behalf something is done: it is stored with the fact. Without the name of an author it is the owner. */
export type Actor = Answerer;

/** What a user says in a turn. */
export interface PromptRequest {
  readonly text: string;
  /**
   * Attached images and files, by path: in the workspace, or in `$OLLM_HOME/assets`. At most 20.
   */
  readonly attachments?: readonly string[] | undefined;
  /** Answers this turn and those after it. Absent: as the session was left. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: ThinkingMode | undefined;
  /**
   * What happens to calls that the policy asks about: `ask` puts a question, `deny` denies without one. Default: `ask`.
   * `allow` lets them run, except dangerous ones, which are asked about; it is refused with UNATTENDED_NOT_ALLOWED
   * unless `server.allowUnattended` is set. `guest` puts a question for every call, also for one that rules, grants or
   * the mode would let run.
   */
  readonly permissions?: 'ask' | 'deny' | 'allow' | 'guest' | undefined;
  /** What tools do without a question, from this turn on. It is not kept with a prompt that waits over a restart. */
  readonly toolMode?: ToolMode | undefined;
  readonly by?: Actor | undefined;
}

export interface StartRequest extends PromptRequest {
  /** Absent: the directory that the server was started in. */
  readonly workspace?: string | undefined;
  /** A name for it, which becomes id and title. Absent: a random id. */
  readonly name?: string | undefined;
  /** The id, which no session may have yet. Absent: derived from the name. */
  readonly id?: string | undefined;
}

/** A prompt that was taken. `seq` is undefined where the session continued in another one meanwhile. */
export type Accepted = FromSchema<typeof SHAPES.Accepted>;

/**
 * A prompt that waits for its turn. It is stored before it is answered for, as `queue.changed`: after a stop or a kill
 * of the server the next one continues with it. While another process holds the journal no prompt is taken.
 */
export interface QueuedPrompt extends PromptRequest {
  readonly promptId: string;
  /** RFC 3339. */
  readonly queuedAt: string;
  /** `user`: it was typed ahead at a terminal, and is sent there. A host begins its turn once it was edited. */
  readonly awaits?: 'user' | undefined;
}
