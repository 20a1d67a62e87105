// Rules outside the root that count inside it: the user's own excludes file, and for a git repository around the root
// its info/exclude and the rules of the directories above. A root that those rules leave out was asked for by name:
// then the repository's rules do not count.
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { GIT_IGNORE_FILE, type IgnoreRules, OLLM_IGNORE_FILE, type RuleFiles, topRules } from './ignore-rules.ts';
import { joined } from './paths.ts';
import { readTracked, type TrackedFiles } from './tracked.ts';

/** Longer rule files are not read: they were not written by hand. */
const MAX_RULE_FILE_BYTES = 1024 * 1024;

interface SurroundingsOptions {
  readonly builtinIgnores?: readonly string[] | undefined;
  readonly globalExcludes?: string | undefined;
}

interface RepositorySurroundings {
  /** The root relative to the top that the rules are written for, with `/`; '' where both are the same. */
  readonly base: string;
  /** The rules that hold in the root, its own files not counted. */
  readonly rules: IgnoreRules;
  /** The files that the rules come from, or would if they were there. */
  readonly files: readonly string[];
  /** Everything that the rules depend on: the same text, the same rules. */
  fingerprint(): string;
}

/** Reads a handful of small files, one after the other: nothing can be decided before. */
export function surroundingsOf(
  root: string,
  { builtinIgnores, globalExcludes }: SurroundingsOptions,
): RepositorySurroundings {
  const texts = new Map<string, string | undefined>();
  let index: { readonly path: string; readonly tracked: TrackedFiles | undefined } | undefined;
  const read = (path: string): string | undefined => {
    const text = readSmallFile(path, 'follow');
    texts.set(path, text);
    return text;
  };
  const own = { builtin: builtinIgnores, globalExcludes: globalExcludes && read(globalExcludes) };
  const top = repositoryTop(root);
  const place = top === undefined ? { base: '', rules: topRules(own) } : within(top);
  return {
    ...place,
    files: [...texts.keys(), ...(index === undefined ? [] : [index.path])],
    fingerprint: () => JSON.stringify([top, ...texts, index?.path, index?.tracked?.fingerprint()]),
  };

  function within(top: string): Pick<RepositorySurroundings, 'base' | 'rules'> {
    const git = gitDirectories(top);
    const exclude = git && join(git.common, 'info', 'exclude');
    const indexPath = git && join(git.own, 'index');
    const config = git && readSmallFile(join(git.common, 'config'), 'refuse links');
    const tracked = indexPath === undefined ? undefined : readTracked(indexPath, hashBytesOf(config));
    index = indexPath === undefined ? undefined : { path: indexPath, tracked };
    let rules = topRules({ ...own, exclude: exclude && read(exclude), tracked });
    let base = '';
    for (const name of relative(top, root).split(sep).filter(Boolean)) {
      const above = join(top, base);
      const files = readRuleFiles(above);
      texts.set(join(above, GIT_IGNORE_FILE), files.git).set(join(above, OLLM_IGNORE_FILE), files.ollm);
      rules = rules.within(base, files);
      base = joined(base, name);
      if (rules.leavesOut(base, true)) return { base: '', rules: topRules(own) };
    }
    return { base, rules };
  }
}

/**
 * The rule files of one directory. A rule file that is a link does not count, as in git: it would let a repository read
 * elsewhere.
 */
export function readRuleFiles(directory: string): RuleFiles {
  return {
    git: readSmallFile(join(directory, GIT_IGNORE_FILE), 'refuse links'),
    ollm: readSmallFile(join(directory, OLLM_IGNORE_FILE), 'refuse links'),
  };
}

export function isRuleFile(name: string): boolean {
  return name === GIT_IGNORE_FILE || name === OLLM_IGNORE_FILE;
}

function repositoryTop(root: string): string | undefined {
  for (let directory = root; ; directory = dirname(directory)) {
    if (exists(join(directory, '.git'))) return directory;
    if (basename(directory) === '') return undefined;
  }
}

/** Where the repository keeps what belongs to this worktree, and what belongs to all; a worktree's `.git` is a file. */
function gitDirectories(top: string): { readonly own: string; readonly common: string } | undefined {
  const pointer = readSmallFile(join(top, '.git'), 'refuse links');
  if (pointer === undefined) return { own: join(top, '.git'), common: join(top, '.git') };
  const named = /^gitdir: (.+)$/m.exec(pointer)?.[1];
  if (named === undefined) return undefined;
  const own = resolve(top, named.trim());
  const common = readSmallFile(join(own, 'commondir'), 'refuse links');
  return { own, common: common === undefined ? own : resolve(own, common.trim()) };
}

function hashBytesOf(config: string | undefined): 20 | 32 {
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config ?? '') ? 32 : 20;
}

/** Undefined unless it is a regular file that can be read. */
function readSmallFile(path: string, links: 'follow' | 'refuse links'): string | undefined {
  try {
    // Mostly there is none, and an error takes far longer to make than the answer.
    const stat = (links === 'follow' ? statSync : lstatSync)(path, { throwIfNoEntry: false });
    return stat?.isFile() && stat.size <= MAX_RULE_FILE_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
