// A conversation: an open session together with the provider and model that answer in it. A value: to switch the
// model or to move to another session returns a new one.
import type { JournalStore } from '../journal/types.ts';
import type { Provider } from '../providers/provider.ts';
import type { ThinkingMode } from '../providers/thinking.ts';
import type { Session } from '../session/session.ts';
import type { AgentPort } from '../tools/builtin/agent.ts';
import type { ToolMode } from '../tools/modes.ts';
import type { GrantStore } from '../tools/policy/grants.ts';
import type { Tool } from '../tools/tool.ts';
import type { TurnTools } from '../turn/turn-tools.ts';

/** The provider and model that answer, and why. */
export interface ProviderChoice {
  readonly provider: Provider;
  readonly model: string;
  /** Tokens that the model takes in, where known. */
  readonly contextWindow?: number | undefined;
  /** How much the model thinks, where that was chosen. */
  readonly thinking?: ThinkingMode | undefined;
  /** For the first line of the REPL: “offline, because no Ollama answers on 127.0.0.1:11434”. */
  readonly why: string;
  /** Whether the search answers only because no model was named and none was found. */
  readonly isStandIn?: boolean | undefined;
}

/** What the tools of a conversation need, from turn to turn. */
export interface ToolSetup {
  readonly turn: Omit<TurnTools, 'toolbox' | 'approver'>;
  readonly builtin: readonly Tool[];
  readonly grants: GrantStore;
  /** What was wrong in the rules and grants, one sentence each. */
  readonly warnings: readonly string[];
}

/** What a conversation remembers from turn to turn, as long as its session is open. */
export interface ConversationState {
  /** What tools do without a question. */
  mode: ToolMode;
  /** Made at the first turn that offers tools. */
  toolSetup?: Promise<ToolSetup> | undefined;
  /** Begins agents; set by the turn that runs. */
  runAgent?: AgentPort['run'] | undefined;
  /** Whether the user was shown what is wrong in the rules for tools. */
  hasSeenRuleProblems: boolean;
  /** Whether the user was shown that the disk is nearly full. */
  hasSeenSpaceNotice: boolean;
  /** Whether the user was told of a model that could answer instead of the search. */
  hasSeenModelOffer: boolean;
  /** The tools that were shown to the user for approval, by server and fingerprint. */
  readonly shownTools: Set<string>;
  /** What the user was told is set and not sent, by model. */
  readonly saidUnsent: Set<string>;
  /** What the user was shown about looking for passages. */
  readonly shownRetrievalNotes: Set<string>;
}

export function conversationState(mode: ToolMode = 'ask'): ConversationState {
  return {
    mode,
    hasSeenRuleProblems: false,
    hasSeenSpaceNotice: false,
    hasSeenModelOffer: false,
    shownTools: new Set(),
    saidUnsent: new Set(),
    shownRetrievalNotes: new Set(),
  };
}

/** An open session with the provider that answers in it. Close `session` when it is over. */
export interface Conversation {
  readonly session: Session;
  /** Where the session is kept; memory for an ephemeral one. */
  readonly store: JournalStore;
  readonly ephemeral: boolean;
  /** Whether nothing of it may be written anywhere but into its journal. */
  readonly encrypted?: boolean | undefined;
  readonly choice: ProviderChoice;
  /** Shared by the values of the same open session. */
  readonly state: ConversationState;
  /** Notices to show the user now, one sentence each: how the session was opened, what was recovered. */
  readonly notices: readonly string[];
}
