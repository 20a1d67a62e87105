// Says of any path below a root whether discovery would find it: the same rules as in walk.ts, asked for one path at a
// time and in any order. Rule files are read when they are first needed, and not again: when one has changed, make a
// new filter.
import { join } from 'node:path';
import { globFilter } from './globs.ts';
import type { IgnoreRules, RuleFiles } from './ignore-rules.ts';
import { joined, parentOf } from './paths.ts';
import { readRuleFiles, surroundingsOf } from './repository.ts';
import type { DiscoveryOptions } from './types.ts';

export interface PathFilter {
  /** Whether it would be entered. Paths are relative to the root, with `/`; the root is ''. */
  entersDirectory(path: string): boolean;
  findsFile(path: string): boolean;
  /** Rule files outside the root, whether they exist or not. */
  readonly outerRuleFiles: readonly string[];
  /** Whether the rules are still those of the files: of all, or of those in one directory. */
  isCurrent(directory?: string): boolean;
}

interface DirectoryRules {
  readonly files: RuleFiles;
  readonly rules: IgnoreRules;
}

export async function createPathFilter(options: Omit<DiscoveryOptions, 'signal'>): Promise<PathFilter> {
  const { root, maxDepth = Number.POSITIVE_INFINITY } = options;
  const { base, rules, files, ...surroundings } = surroundingsOf(root, options);
  const fingerprint = surroundings.fingerprint();
  const globs = await globFilter(options.includePatterns, options.excludePatterns);
  const rulesByDirectory = new Map<string, DirectoryRules>();
  const entered = new Map<string, boolean>([['', true]]);

  function rulesIn(directory: string): IgnoreRules {
    const known = rulesByDirectory.get(directory);
    if (known) return known.rules;
    const inherited = directory === '' ? rules : rulesIn(parentOf(directory));
    const own = readRuleFiles(join(root, directory));
    const all = inherited.within(joined(base, directory), own);
    rulesByDirectory.set(directory, { files: own, rules: all });
    return all;
  }

  function holds(directory: string, { files: read }: DirectoryRules): boolean {
    const now = readRuleFiles(join(root, directory));
    return now.git === read.git && now.ollm === read.ollm;
  }

  function isLeftOut(path: string, isDirectory: boolean): boolean {
    return globs.excludes(path) || rulesIn(parentOf(path)).leavesOut(joined(base, path), isDirectory) !== false;
  }

  function entersDirectory(path: string): boolean {
    const known = entered.get(path);
    if (known !== undefined) return known;
    const enters = path.split('/').length <= maxDepth && entersDirectory(parentOf(path)) && !isLeftOut(path, true);
    entered.set(path, enters);
    return enters;
  }

  return {
    entersDirectory,
    findsFile: (path) => entersDirectory(parentOf(path)) && globs.includes(path) && !isLeftOut(path, false),
    outerRuleFiles: files,
    isCurrent(directory) {
      const read = directory === undefined ? undefined : rulesByDirectory.get(directory);
      if (directory !== undefined) return read === undefined || holds(directory, read);
      if (surroundingsOf(root, options).fingerprint() !== fingerprint) return false;
      return [...rulesByDirectory].every(([path, rules]) => holds(path, rules));
    },
  };
}
