// The answer of a test's model server to one prompt.

export interface ScriptedTurn {
  readonly prompt: string;
  /** Made first; the answer comes when its result does. */
  readonly call?: ScriptedCall | undefined;
  readonly answer: string;
  /** Comes before the answer. */
  readonly thinking?: string | undefined;
  /** The server refuses it. */
  readonly fails?: boolean | undefined;
  /** The answer comes a few characters at a time. */
  readonly isSlow?: boolean | undefined;
}

export interface ScriptedCall {
  readonly name: string;
  /** The server of the tool, where a program has it named apart. */
  readonly namespace?: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The usage of each answer. */
export const USAGE = { inputTokens: 1200, outputTokens: 7 } as const;
