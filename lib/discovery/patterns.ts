// Ignore patterns as a plain list, for callers that keep their own: read one directory's, test a path against them.
import { resolve } from 'node:path';
import { BUILTIN_IGNORES, matcher, ruleLines } from './ignore-rules.ts';
import { readRuleFiles } from './repository.ts';

/**
 * The built-in names and the patterns in .gitignore and .ollmignore of `root` itself, in the order in which they count.
 */
export async function loadIgnorePatterns(root: string): Promise<string[]> {
  const { git, ollm } = readRuleFiles(resolve(root));
  return [...ruleLines(git ?? ''), ...BUILTIN_IGNORES.map((name) => `${name}/`), ...ruleLines(ollm ?? '')];
}

/**
 * Whether the patterns leave out `path`, relative to their directory; a directory ends in `/`.
 *
 * @example
 * shouldIgnore('logs/today.log', ['*.log']) // true
 */
export function shouldIgnore(path: string, patterns: readonly string[]): boolean {
  const normal = path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
  if (['', '.', '..'].includes(normal.split('/')[0]!)) return false;
  return matcher(patterns.flatMap(ruleLines).map((pattern) => ({ pattern }))).ignores(normal);
}
