// The words of a command as the policy knows them: what a shell would make of them before it starts the program, and
// whether that can be told at all.

/** A word of a command. */
export interface CommandWord {
  /** The value that the program gets, if `isFixed`; otherwise the word as it is written. */
  readonly text: string;
  /** Whether it can be told: no variable, no substitution, no pattern of file names. */
  readonly isFixed: boolean;
  /** Whether it begins with a `~` that means the home directory. */
  readonly isAtHome?: boolean | undefined;
}

/** A program with its arguments, or a builtin of the shell. */
export interface SimpleCommand {
  /** The program first. Never empty. */
  readonly words: readonly CommandWord[];
  /** Why no rule, grant or default lets it run unasked: variables are set for it, say. */
  readonly altered?: string | undefined;
  /** A program that only starts the next one, such as `timeout`: what counts is that one, and what denies both. */
  readonly isWrapper?: boolean | undefined;
  /** What further words are added while it runs, as `xargs` does. */
  readonly isOpen?: boolean | undefined;
}

/** A table of names as it is written in this folder: in one text, with white space between them. */
export const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

export const fixed = (text: string): CommandWord => ({ text, isFixed: true });

/** How a command is written in a rule and shown: words with anything special in them in quotes. */
export function writeWords(words: readonly CommandWord[]): string {
  return words.map(({ text, isFixed }) => (isFixed ? quoted(text) : text)).join(' ');
}

function quoted(text: string): string {
  return /^[\w@%+=:,./^-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The last part of a program's path: `git` of `/usr/bin/git`. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
