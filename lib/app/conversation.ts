// A conversation: an open session together with the provider and model that answer in it. A value: whatever switches
// the model or moves to another session hands back a new one.
import type { JournalStore } from '../journal/types.ts';
import type { Provider } from '../providers/provider.ts';
import type { Session } from '../session/session.ts';

/** Who answers, and why. */
export interface ProviderChoice {
  readonly provider: Provider;
  readonly model: string;
  /** Tokens that the model takes in, where known. */
  readonly contextWindow?: number | undefined;
  /** For the first line of the REPL: “offline, because no Ollama answers on 127.0.0.1:11434”. */
  readonly why: string;
}

/** An open session with who answers in it. Close `session` when it is over. */
export interface Conversation {
  readonly session: Session;
  /** Where the session is kept; memory for an ephemeral one. */
  readonly store: JournalStore;
  readonly ephemeral: boolean;
  /** Whether nothing of it may be written anywhere but into its journal. */
  readonly encrypted?: boolean | undefined;
  readonly choice: ProviderChoice;
  /** One sentence for each thing to tell the user at once: how the session was opened, what was recovered. */
  readonly notices: readonly string[];
}
