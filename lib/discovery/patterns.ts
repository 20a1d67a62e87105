// Ignore patterns as a plain list, for callers that keep their own: read one directory's, test a path against them.
import { resolve } from 'node:path';
import { BUILTIN_IGNORES } from './ignore-rules.ts';
import { readRuleFiles } from './repository.ts';
import { createRuleList, endingOf, ruleLines } from './rule-list.ts';

/** The built-in names and what stands in .gitignore and .ollmignore of `root` itself, in the order in which they count. */
export async function loadIgnorePatterns(root: string): Promise<string[]> {
  const { git, ollm } = readRuleFiles(resolve(root));
  return [...ruleLines(git ?? ''), ...BUILTIN_IGNORES.map((name) => `${name}/`), ...ruleLines(ollm ?? '')];
}

/**
 * Whether the patterns leave out `path`, relative to where they stand; a directory ends in `/`.
 *
 * @example
 * shouldIgnore('logs/today.log', ['*.log']) // true
 */
export function shouldIgnore(path: string, patterns: readonly string[]): boolean {
  const normal = path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
  const isDirectory = normal.endsWith('/');
  const names = (isDirectory ? normal.slice(0, -1) : normal).split('/');
  if (['', '.', '..'].includes(names[0]!)) return false;
  const rules = createRuleList(patterns);
  // What lies in a directory that is left out cannot be brought back.
  return names.some((name, index) => {
    const verdictOn = rules.within(names.slice(0, index).join('/'));
    return verdictOn(name, endingOf(name), isDirectory || index < names.length - 1) === true;
  });
}
