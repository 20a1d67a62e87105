// How many tokens a text has for a model. Counting never fails and never blocks for long: see the estimators in this
// folder.
import type { TokenCount } from '../messages/index.ts';

/** Counts the tokens of texts, and says how sure it is. */
export interface TokenCounter {
  /** Tokens of a text for this counter's model family. Same text, same answer. */
  count(text: string): TokenCount;
}
