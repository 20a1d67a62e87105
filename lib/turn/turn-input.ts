// Input of the user to a turn: at its beginning, and while it runs.
import type { Part, TokenCount } from '../messages/index.ts';

/** What a turn begins with. */
export interface TurnInput {
  /** The user's text. */
  readonly text: string;
  /** The message itself, where it is more than that text; `text` is then what a reader is shown of it. */
  readonly parts?: readonly Part[] | undefined;
  /**
   * Tokens of those parts, where they were counted. Default: an estimate, which does not count the content of files.
   */
  readonly tokens?: TokenCount | undefined;
  /** Who said it, where several people take part. */
  readonly author?: string | undefined;
  /** The queued prompt that this message is: it leaves the queue of the session with it. */
  readonly promptId?: string | undefined;
}

/** Hands over the messages that a running turn takes, oldest first. Never rejects. */
export type Steer = () => Promise<readonly TurnInput[]>;
