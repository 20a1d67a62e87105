// The port to tools. A tool turns arguments into a plan, which says exactly what would happen; the policy and the user
// decide on the plan, and only then is it run. The approved plan is the one that runs: it holds its arguments fixed.
// Tools never see the journal, the configuration or the environment: they get ports for everything that they may use.
import type { Action } from './action.ts';
import type { RunProgram } from './program.ts';

/** Where it comes from: ollm itself, a server of the Model Context Protocol, or the program that embeds ollm. */
export type ToolOrigin = 'builtin' | `mcp:${string}` | 'program';

/** A tool that a model can be offered. */
export interface Tool {
  /** What a model calls it: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  /** What a model is told of it. */
  readonly description: string;
  /** JSON Schema (2020-12) of the arguments: an object. Arguments are held against it before `plan` sees them. */
  readonly parameters: object;
  readonly origin: ToolOrigin;
  /**
   * What a call would do. Changes nothing; may read, for a diff say.
   *
   * @throws ToolFailure with the fault of the arguments, in words that help a model to correct itself
   */
  plan(args: Readonly<Record<string, unknown>>, place: ToolPlace): Promise<ToolPlan>;
  /**
   * Looks at a result before it is stored and before a model is given it; not at the words of a failure. Returns why
   * the result is refused, for the model and the journal, or undefined. Throwing refuses it too.
   */
  validateOutput?(output: ToolOutput, args: Readonly<Record<string, unknown>>): OutputRefusal | Promise<OutputRefusal>;
}

/** Why a result is refused, in a sentence; undefined if it is not. */
export type OutputRefusal = string | undefined;

/** Where a tool works. */
export interface ToolPlace {
  /** The root of the project, absolute and with its links resolved. */
  readonly root: string;
  /** Where paths that are not absolute start; in the project. */
  readonly cwd: string;
}

/** A call, ready for a decision. */
export interface ToolPlan {
  readonly action: Action;
  /** The files that it changes, so that they can be put back; for a tool that writes them itself. */
  readonly changes?: readonly ChangedFile[] | undefined;
  /** Id of the session in which an agent works for it. */
  readonly subagent?: string | undefined;
  /** Milliseconds that it may take, where that is not what holds for all calls. */
  readonly timeoutMs?: number | undefined;
  /**
   * Carries it out, once. Ends soon after `signal` is aborted, with all that it started.
   *
   * @throws ToolFailure what went wrong, for the model. Anything else thrown is a fault of the tool.
   */
  run(means: ToolMeans): Promise<ToolOutput>;
}

/** A file as a plan found it and as it leaves it. */
export interface ChangedFile {
  /** Absolute, with its links resolved. */
  readonly path: string;
  /** Undefined where nothing was there. `mode`: its permissions. */
  readonly before: { readonly bytes: Uint8Array; readonly mode: number } | undefined;
  /** Undefined where the file is removed. */
  readonly after: Uint8Array | undefined;
  /** The topmost directory that has to be made for it. */
  readonly madeDirectory?: string | undefined;
}

/** What a running tool may use. */
export interface ToolMeans {
  readonly signal: AbortSignal;
  /** Starts a program inside the sandbox, in the environment made for tools. */
  readonly runProgram: RunProgram;
  /** Something to show while it runs. Nothing of it is stored. */
  onProgress(text: string): void;
}

/** What a call brought back. */
export interface ToolOutput {
  /** Text, or bytes that may be text. Uncut: cutting is done for all tools in one place. */
  readonly content: string | Uint8Array;
  /** Default: ok. */
  readonly status?: 'ok' | 'error' | 'timeout' | undefined;
  /** What a person is shown, where that differs: a diff. */
  readonly display?: string | undefined;
  /** Bytes that were printed and are not in `content`. */
  readonly omittedBytes?: number | undefined;
  /** PNG, JPEG, GIF or WebP, whole, for models that see. `content` describes them for all others. */
  readonly images?: readonly Uint8Array[] | undefined;
}

/** A call that cannot be done, said to the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}
