// Finds files and directories with certain names in a tree, ignored by git or not: keys are ignored more often than
// other files. Nearest to the root first, and bounded: a tree of any size, or an endless one, takes a limited time.
// Links are neither followed nor found: their targets count by their own names.
import * as nodeFs from 'node:fs/promises';
import { join } from 'node:path';

interface NameSearch {
  /**
   * Called with only the name, and with whether it is that of a directory. A found directory is not entered.
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

/** A directory that ollm cannot read, its tools cannot read either. */
async function entriesOf(directory: string) {
  try {
    return await nodeFs.readdir(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
