// What the user says to a turn: at its beginning, and while it runs.
import type { Part, TokenCount } from '../messages/index.ts';

/** What a turn begins with. */
export interface TurnInput {
  /** What the user said. */
  readonly text: string;
  /** The message itself, where it is more than that text; `text` is then what a reader is shown of it. */
  readonly parts?: readonly Part[] | undefined;
  /**
   * Tokens of those parts, where they were counted. Default: an estimate, which does not count the content of files.
   */
  readonly tokens?: TokenCount | undefined;
  /** Who said it, where several people take part. */
  readonly author?: string | undefined;
  /** Of the prompt that waited in the queue of the session: with this message it leaves it. */
  readonly promptId?: string | undefined;
}

/** Hands over the messages that a running turn takes, oldest first. Never rejects. */
export type Steer = () => Promise<readonly TurnInput[]>;
