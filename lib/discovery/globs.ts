// Include and exclude globs of a user. A pattern that cannot be used is a warning and is left out;
// where no include pattern is left, the default holds: everything is included.
import micromatch from 'micromatch';

export interface GlobFilter {
  includes(relativePath: string): boolean;
  excludes(relativePath: string): boolean;
  readonly warnings: readonly string[];
}

export function globFilter(include: readonly string[] = [], exclude: readonly string[] = []): GlobFilter {
  const warnings: string[] = [];
  const included = matchers(include, 'include', warnings);
  const excluded = matchers(exclude, 'exclude', warnings);
  return {
    includes: (path) => included.length === 0 || included.some((matches) => matches(path)),
    excludes: (path) => excluded.some((matches) => matches(path)),
    warnings,
  };
}

function matchers(patterns: readonly string[], use: string, warnings: string[]): ((path: string) => boolean)[] {
  return patterns.flatMap((pattern) => {
    try {
      return [compile(pattern)];
    } catch (error) {
      warnings.push(`The ${use} pattern ${JSON.stringify(pattern)} is left out: ${(error as Error).message}.`);
      return [];
    }
  });
}

function compile(pattern: string): (path: string) => boolean {
  const isForName = !pattern.replace(/\/$/, '').includes('/');
  const glob = pattern.replace(/^\.?\//, '').replace(/\/$/, '');
  const matches = micromatch.matcher(glob, { dot: true, strictBrackets: true, debug: true });
  return (path) => matches(isForName ? path.slice(path.lastIndexOf('/') + 1) : path);
}
