// A fault of the kind that storage programs had, to be put into a copy of lib/: the lab has to find it.

export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  /** Must be there exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface Bug {
  readonly name: string;
  /** The fault, in one sentence. */
  readonly what: string;
  readonly edits: readonly Edit[];
}

/** @throws Error if an edit does not fit any more */
export function applyEdit(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2) {
    throw new Error(`${file} has ${parts.length - 1} places instead of one that read:\n${find}`);
  }
  return parts.join(replace);
}
