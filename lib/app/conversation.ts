// A conversation: an open session together with the provider and model that answer in it. A value: to switch the
// model or to move to another session returns a new one.
import type { Observable } from 'rxjs';
import { OllmError } from '../errors/index.ts';
import type { JournalStore } from '../journal/types.ts';
import type { Provider } from '../providers/provider.ts';
import type { ThinkingMode } from '../providers/thinking.ts';
import type { Session } from '../session/session.ts';
import type { AgentPort } from '../tools/builtin/agent.ts';
import type { Approver } from '../tools/decision.ts';
import type { ToolMode } from '../tools/modes.ts';
import type { GrantStore } from '../tools/policy/grants.ts';
import type { Tool } from '../tools/tool.ts';
import type { TurnSignal } from '../turn/signals.ts';
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

/** Facts that the tools of a conversation need, from turn to turn. */
export interface ToolSetup {
  readonly turn: Omit<TurnTools, 'toolbox' | 'approver'>;
  readonly builtin: readonly Tool[];
  readonly grants: GrantStore;
  /** Faults in the rules and grants, each as a sentence. */
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
  /** Whether the user saw the faults in the rules for tools. */
  hasSeenRuleProblems: boolean;
  /** Whether the user was shown that the disk is nearly full. */
  hasSeenSpaceNotice: boolean;
  /** Whether the user was told of a model that could answer instead of the search. */
  hasSeenModelOffer: boolean;
  /** The tools that were shown to the user for approval, by server and fingerprint. */
  readonly shownTools: Set<string>;
  /** Settings that are not sent and that the user was told about, by model. */
  readonly saidUnsent: Set<string>;
  /** Notices about looking for passages that the user has seen. */
  readonly shownRetrievalNotes: Set<string>;
}

/** For programs without types. @throws OllmError USAGE: it is a reference, or anything else */
export function requireConversation(conversation: Conversation, hint: string): Conversation {
  if (typeof conversation === 'object' && typeof conversation?.session === 'object') return conversation;
  const what = typeof conversation === 'string' ? JSON.stringify(conversation) : typeof conversation;
  throw new OllmError('USAGE', `This takes an open conversation, not ${what}.`, {
    hint,
    data: { argument: 'conversation' },
  });
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

/** An agent of another maker that runs and answers in the place of a model. */
export interface AnsweringAgent {
  /** Name of the agent in addresses. */
  readonly name: string;
  /** As its maker calls it. */
  readonly title: string;
  readonly address: string;
  /** Address of the session in which it went on by itself: the next prompt belongs there. */
  readonly movedTo?: string | undefined;
  /** Whether the calls that it asks about are asked, denied or allowed. */
  readonly permissions: 'ask' | 'deny' | 'allow';
  /** Labels with their texts: program, version, process, mode and directory. */
  describe(): readonly (readonly [label: string, text: string])[];
  readonly models: AnswererChoices;
  readonly thinking: AnswererChoices;
  /** From the next prompt on. @throws OllmError MODEL_NOT_FOUND, *_NOT_SUPPORTED */
  change(choice: { readonly model?: string | undefined; readonly thinking?: string | undefined }): Promise<void>;
  /** The signals of one prompt, cold. `@path` of an image attaches that. @throws OllmError USAGE, IO_FAILED */
  ask(
    input: { readonly text: string; readonly typed?: string | undefined; readonly promptId?: string | undefined },
    options: {
      readonly signal: AbortSignal;
      readonly approver?: Approver | undefined;
      /** Whether an image outside the directory may be attached. */
      readonly allowOutside: boolean;
    },
  ): Observable<TurnSignal>;
}

/** The choices that an agent offers, in its own words, and the present one. */
interface AnswererChoices {
  readonly current?: string | undefined;
  readonly all: readonly { readonly value: string; readonly name: string; readonly description?: string | undefined }[];
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
  /** @internal Answers in place of the provider, which says its name then. */
  readonly agent?: AnsweringAgent | undefined;
  /** @internal Shared by the values of the same open session. */
  readonly state: ConversationState;
  /** Notices to show the user now, each as a sentence: how the session was opened, what was recovered. */
  readonly notices: readonly string[];
}
