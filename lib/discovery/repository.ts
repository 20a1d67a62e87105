// What a git repository around the root adds: the rules of the directories above, and info/exclude.
// A root that those rules leave out themselves was asked for by name: then they do not count.
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { GIT_IGNORE_FILE, type IgnoreRules, OLLM_IGNORE_FILE, type RuleFiles, topRules } from './ignore-rules.ts';

/** Longer rule files are not read: nobody wrote them by hand. */
const MAX_RULE_FILE_BYTES = 1024 * 1024;

export interface Surroundings {
  /** The root relative to the top that the rules are written for, with `/`; '' where both are the same. */
  readonly base: string;
  /** The rules that hold in the root, its own files not counted. */
  readonly rules: IgnoreRules;
}

export async function surroundingsOf(root: string, builtin: readonly string[] | undefined): Promise<Surroundings> {
  const top = await repositoryTop(root);
  if (top === undefined) return { base: '', rules: topRules({ builtin }) };

  let rules = topRules({ builtin, exclude: await readExclude(top) });
  let base = '';
  for (const name of relative(top, root).split(sep).filter(Boolean)) {
    rules = rules.within(base, await readRuleFiles(join(top, base)));
    base = base === '' ? name : `${base}/${name}`;
    if (rules.ignores(base, true)) return { base: '', rules: topRules({ builtin }) };
  }
  return { base, rules };
}

export async function readRuleFiles(directory: string): Promise<RuleFiles> {
  const [git, ollm] = await Promise.all([
    readSmallFile(join(directory, GIT_IGNORE_FILE)),
    readSmallFile(join(directory, OLLM_IGNORE_FILE)),
  ]);
  return { git, ollm };
}

async function repositoryTop(root: string): Promise<string | undefined> {
  for (let directory = root; ; directory = dirname(directory)) {
    if (await exists(join(directory, '.git'))) return directory;
    if (basename(directory) === '') return undefined;
  }
}

/** info/exclude lies in the repository's own directory; a worktree's `.git` is a file that points there. */
async function readExclude(top: string): Promise<string | undefined> {
  const pointer = await readSmallFile(join(top, '.git'));
  if (pointer === undefined) return readSmallFile(join(top, '.git', 'info', 'exclude'));
  const own = /^gitdir: (.+)$/m.exec(pointer)?.[1];
  if (own === undefined) return undefined;
  const gitDirectory = resolve(top, own.trim());
  const common = await readSmallFile(join(gitDirectory, 'commondir'));
  return readSmallFile(
    join(common === undefined ? gitDirectory : resolve(gitDirectory, common.trim()), 'info/exclude'),
  );
}

/** Undefined unless it is a regular file (git follows no link here either) that can be read. */
async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const { size } = await regularFile(path);
    return size > MAX_RULE_FILE_BYTES ? undefined : await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function regularFile(path: string): Promise<{ size: number }> {
  const stat = await lstat(path);
  if (!stat.isFile()) throw new Error('not a regular file');
  return stat;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
