// What a call would do, as the policy decides on it and the user is shown it: parsed, never a string to be matched.

/** A file or directory that a call touches. */
export interface FileAccess {
  readonly kind: 'read' | 'write';
  /** Absolute, with the links on the way resolved as far as it exists. */
  readonly path: string;
}

/** A program that a call starts. */
export type Command =
  /** A line for a shell; policy/ parses it. */
  | { readonly kind: 'shell'; readonly line: string; readonly cwd: string }
  /** A program and its arguments; no shell is between. */
  | { readonly kind: 'program'; readonly argv: readonly [string, ...string[]]; readonly cwd: string };

/** The effect, as the user sees it before the call runs. Raw: the screen that draws it cleans it. */
export type Preview =
  /** A unified diff. */
  { readonly kind: 'diff'; readonly text: string } | { readonly kind: 'text'; readonly text: string };

/** What one call would do. */
export interface Action {
  readonly tool: string;
  /** A summary for people, on a single line: “Edit lib/index.ts (+3 −1)”. */
  readonly summary: string;
  /** Whether nothing outside ollm is changed by it. Such calls may run side by side. */
  readonly isReadOnly: boolean;
  readonly accesses: readonly FileAccess[];
  readonly command?: Command | undefined;
  /** Whether it talks to another machine by itself, as tools of a server do. */
  readonly isRemote?: boolean | undefined;
  /** A host of the web that it reads from, as `URL.host` writes it. `isNamedByUser`: by the settings of the user. */
  readonly web?: { readonly host: string; readonly isNamedByUser?: boolean | undefined } | undefined;
  /** Whether it only has others make calls, each of which is decided on by itself. */
  readonly delegates?: boolean | undefined;
  readonly preview?: Preview | undefined;
}
