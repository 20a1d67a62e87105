// Finds what goes by certain names in a tree, ignored by git or not: keys are ignored more often than other files.
// Nearest to the root first, and only so much of it: a tree of any size, or one that was made to be endless, takes
// a bounded time. Links are neither followed nor found: what they lead to counts by its own name.
import * as nodeFs from 'node:fs/promises';
import { join } from 'node:path';

interface NameSearch {
  /**
   * Called with the name alone, and with whether it is that of a directory. A directory that is found is not entered.
   */
  readonly isWanted: (name: string, isDirectory: boolean) => boolean;
  /** Names of directories that are not entered. */
  readonly passedBy: ReadonlySet<string>;
  /** How many entries are looked at, and how many found at most. */
  readonly maxEntries: number;
  readonly maxFound: number;
}

interface NamesFound {
  /** Absolute. */
  readonly paths: readonly string[];
  /** False where a limit was reached. */
  readonly isComplete: boolean;
}

/**
 * @example
 * await findByName(root, { isWanted: (name) => name === '.env', passedBy: new Set(), maxEntries: 50_000, maxFound: 500
 * });
 */
export async function findByName(root: string, search: NameSearch): Promise<NamesFound> {
  const { isWanted, passedBy, maxEntries, maxFound } = search;
  const paths: string[] = [];
  const directories = [root];
  let seen = 0;
  for (const directory of directories) {
    for (const entry of await entriesOf(directory)) {
      seen += 1;
      if (seen > maxEntries) return { paths, isComplete: false };
      if (entry.isSymbolicLink()) continue;
      if (isWanted(entry.name, entry.isDirectory())) {
        if (paths.length === maxFound) return { paths, isComplete: false };
        paths.push(join(directory, entry.name));
      } else if (entry.isDirectory() && !passedBy.has(entry.name)) {
        directories.push(join(directory, entry.name));
      }
    }
  }
  return { paths, isComplete: true };
}

/** What we cannot read, a program of ours cannot either. */
async function entriesOf(directory: string) {
  try {
    return await nodeFs.readdir(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
