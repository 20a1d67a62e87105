// What no tool sees and what none changes, by the configuration of this run: one list for the policy, which decides,
// and for the sandbox, which holds. In the project, keys are found by their names, again for each program.
import { dirname } from 'node:path';
import { isAmbiguousName, isCredentialName } from '../../discovery/credential-names.ts';
import { findByName } from '../../discovery/find-by-name.ts';
import { GIT_NAME, OWN_NAME } from '../../tools/policy/places.ts';
import type { ClosedPaths } from '../../tools/sandboxing.ts';
import type { App } from '../app.ts';

/** Dependencies bring keys and certificates of their own, which are not secret, and which their programs need. */
const DEPENDENCIES: ReadonlySet<string> = new Set(
  'node_modules bower_components .venv venv .tox site-packages vendor target __pycache__'.split(' '),
);
/** About what can be looked at in a tenth of a second. */
const MAX_ENTRIES = 50_000;
/** Each is a mount of its own. */
const MAX_FOUND = 500;

/** Wherever the project is. Absolute. */
export function closedPlaces({ config, paths, configuration }: App): ClosedPaths {
  const { keyFile } = config.retention;
  return {
    // The sessions of other conversations, and the keys that open them, are closed to every program.
    hidden: [...config.tools.hidden, paths.home, paths.sessions, ...(keyFile === undefined ? [] : [keyFile])],
    protected: [paths.home, paths.sessions, paths.log, paths.history, ...configuration.files],
  };
}

/**
 * In the project and in what else the user opened: keys, our own directories, and repositories inside the repository.
 */
export async function closedInside(
  { config, paths, log, fileSystem }: App,
  project = paths.project,
): Promise<ClosedPaths> {
  const real = (path: string) => (fileSystem.stat(path) === undefined ? path : fileSystem.realPath(path));
  const opened = config.tools.readable.map(real);
  const hidden: string[] = [];
  const repositories: string[] = [];
  const isWanted = (name: string, isDirectory: boolean) =>
    (isCredentialName(name) && !(isDirectory && isAmbiguousName(name))) || isOwn(name) || isGit(name);
  for (const root of [project, ...config.tools.writable, ...config.tools.readable]) {
    const limits = { passedBy: DEPENDENCIES, maxEntries: MAX_ENTRIES, maxFound: MAX_FOUND };
    const { paths: found, isComplete } = await findByName(root, { isWanted, ...limits });
    if (!isComplete)
      log.warn(
        { service: 'tools', operation: 'sandbox', data: { root } },
        'The directory is too large to look for keys in all of it: the policy alone hides the others',
      );
    for (const path of found) {
      if (isGit(nameOf(path))) {
        if (dirname(path) !== root) repositories.push(path);
      } else if (opened.length === 0 || isOwn(nameOf(path)) || !opened.includes(real(path))) hidden.push(path);
    }
  }
  return { hidden, protected: repositories };
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const isOwn = (name: string) => name.toLowerCase() === OWN_NAME;
const isGit = (name: string) => name.toLowerCase() === GIT_NAME;
