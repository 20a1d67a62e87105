// Include and exclude globs of a user. A pattern that cannot be used is a warning and is left out;
// where no include pattern is left, the default holds: everything is included.

interface GlobFilter {
  includes(relativePath: string): boolean;
  excludes(relativePath: string): boolean;
  readonly warnings: readonly string[];
}

const EVERYTHING: GlobFilter = { includes: () => true, excludes: () => false, warnings: [] };

type Matches = (path: string) => boolean;
type MakeMatcher = (glob: string, options: object) => Matches;

/** A pattern without wildcards is a name or a path. */
const PLAIN = /^(?!-)[\w.-]+(?:\/[\w.-]+)*$/;
const equal: MakeMatcher = (glob) => (path) => path === glob;

/** The package that reads globs is loaded when there is one. */
export async function globFilter(
  include: readonly string[] = [],
  exclude: readonly string[] = [],
): Promise<GlobFilter> {
  if (include.length === 0 && exclude.length === 0) return EVERYTHING;
  const isPlain = [...include, ...exclude].every((pattern) => PLAIN.test(pattern));
  const makeMatcher = isPlain ? equal : (await import('micromatch')).default.matcher;
  const warnings: string[] = [];
  const matchersOf = (patterns: readonly string[], use: string): Matches[] =>
    patterns.flatMap((pattern) => {
      try {
        return [compile(pattern, makeMatcher)];
      } catch (error) {
        warnings.push(`The ${use} pattern ${JSON.stringify(pattern)} is left out: ${(error as Error).message}.`);
        return [];
      }
    });
  const [included, excluded] = [matchersOf(include, 'include'), matchersOf(exclude, 'exclude')];
  return {
    includes: (path) => included.length === 0 || included.some((matches) => matches(path)),
    excludes: (path) => excluded.some((matches) => matches(path)),
    warnings,
  };
}

function compile(pattern: string, makeMatcher: MakeMatcher): Matches {
  const isForName = !pattern.replace(/\/$/, '').includes('/');
  const glob = pattern.replace(/^\.?\//, '').replace(/\/$/, '');
  const matches = makeMatcher(glob, { dot: true, strictBrackets: true, debug: true });
  return (path) => matches(isForName ? path.slice(path.lastIndexOf('/') + 1) : path);
}
