// The port to a program of another maker that works as an agent: started in a workspace, asked, cancelled and ended.
// The words of the agent go by as signals; the session that it writes itself is the truth. An adapter knows one way to
// speak to programs, and a profile the particulars of one program.
import type { ProcessExit } from '../platform/processes/process-group.ts';

/** The program, its surroundings, and the callbacks that it needs. */
export interface RunnerRequest {
  /** Absolute, with its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Started in the place of `argv`: the sandbox with it. Default: `argv` itself, which runs as the user. */
  readonly confined?: ConfinedStart | undefined;
  /** Absolute: where it works. */
  readonly workspace: string;
  /** All that it sees of the environment, without the mark. */
  readonly env: Readonly<Record<string, string>>;
  /** Unguessable: the processes that it starts are found by it. */
  readonly mark: string;
  /** UUID of the new session, for a program that takes one. Default: it chooses. */
  readonly id?: string | undefined;
  /** The session that it continues with, by its own id. */
  readonly resume?: string | undefined;
  /** In its own words. Default: as it has it. */
  readonly model?: string | undefined;
  /** How much it thinks, in its own words. Default: as it has it. */
  readonly thinking?: string | undefined;
  /** Asks the user. Rejects if the signal is aborted: then the answer is no. */
  readonly ask: (question: AgentQuestion, signal: AbortSignal) => Promise<'allow' | 'deny'>;
  /** Called with a line that is not of the protocol. */
  readonly onText: (stream: 'stdout' | 'stderr', line: string) => void;
  /** Ends the opening. */
  readonly signal: AbortSignal;
}

/** The command of a sandbox with the agent in it; everything inside ends with it. */
interface ConfinedStart {
  readonly argv: readonly [string, ...string[]];
  /** The contents of its descriptors 3 and up. */
  readonly inherited?: readonly Uint8Array[] | undefined;
  /** Called when it has ended. */
  readonly end?: (() => void) | undefined;
  /** Whether a signal to it ends the agent without asking that to end. */
  readonly guardsTree?: boolean | undefined;
}

/** A call that the agent asks about, as it describes it. Nothing of it is left out. */
export interface AgentQuestion {
  readonly callId: string;
  /** The call in one line. */
  readonly title: string;
  /** Plain JSON: title, kind, input, content and places. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The line for a shell that it would run, where the request has one. */
  readonly command?: string | undefined;
}

export interface AgentPrompt {
  readonly text: string;
  readonly images: readonly { readonly mimeType: string; readonly base64: string }[];
}

/** What goes by while a prompt is worked on. */
export type AgentSignal =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly title: string }
  | { readonly type: 'result'; readonly callId: string; readonly isFailed: boolean; readonly text: string };

/** Something that the agent lets be chosen, in its own words. */
export interface AgentChoice {
  readonly value: string;
  /** For a person. */
  readonly name: string;
  readonly description?: string | undefined;
}

/** The choices that it offers, and the present one. None, where `all` is empty. */
export interface AgentChoices {
  readonly current?: string | undefined;
  readonly all: readonly AgentChoice[];
}

/**
 * How the work on a prompt ended. `reason`: in the words of the protocol, or `broken`: the program ended, or broke the
 * protocol, before its answer was whole.
 */
export interface AgentTurnEnd {
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly reason: string;
  readonly message?: string | undefined;
}

/** An agent that runs. */
export interface AgentProcess {
  /** The session that it works in, by its own id. */
  readonly id: string;
  readonly pid: number;
  /** As it says it itself. */
  readonly version?: string | undefined;
  /** The mode of permissions that was set, in its own words. */
  readonly mode?: string | undefined;
  /** Whether it takes images. */
  readonly takesImages: boolean;
  readonly models: AgentChoices;
  /** How much it may think, for its present model. */
  readonly thinking: AgentChoices;
  /** Settles when the process has ended, with everything that it started. */
  readonly exited: Promise<ProcessExit>;
  /** Works on one prompt at a time. Resolves at its end, also when the process ends; `signal` cancels it. */
  prompt(prompt: AgentPrompt, onSignal: (signal: AgentSignal) => void, signal: AbortSignal): Promise<AgentTurnEnd>;
  /**
   * From the next prompt on. A model that is not listed is refused by the agent itself.
   * @throws OllmError MODEL_NOT_FOUND; MODEL_SWITCH_NOT_SUPPORTED
   */
  setModel(value: string): Promise<void>;
  /** From the next prompt on. @throws OllmError THINKING_MODE_NOT_SUPPORTED, with those that it has */
  setThinking(value: string): Promise<void>;
  /** Ends it and everything that it started. May be called twice. */
  close(): Promise<void>;
}
