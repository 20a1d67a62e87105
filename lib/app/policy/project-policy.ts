// The policy of the project by the settings and the user's permanent answers. A conversation adds its mode, and what
// its programs are confined by.
import type { Policy } from '../../tools/decision.ts';
import type { PolicyOptions } from '../../tools/policy/create-policy.ts';
import type { CreatedPolicy, GrantStore } from '../../tools/policy/index.ts';
import type { App } from '../app.ts';
import { gitReach } from '../repository/git-reach.ts';
import { trustedSkillPlaces } from '../skills/skill-places.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';
import { whyNoProject } from '../start/no-project.ts';
import { closedPlaces } from './closed-places.ts';
import { openGrants } from './grants-file.ts';

interface ProjectPolicyOptions extends Pick<PolicyOptions, 'isConfined' | 'mode' | 'ownPlaces'> {
  readonly grants: GrantStore;
}

export async function projectPolicy(
  app: App,
  { grants, isConfined, mode, ownPlaces }: ProjectPolicyOptions,
): Promise<CreatedPolicy> {
  const { createPolicy } = await import('../../tools/policy/index.ts');
  const { config, paths, fileSystem } = app;
  const realPath = await pathReader(app);
  const root = realPath(paths.project);
  const closed = closedPlaces(app);
  return createPolicy({
    settings: { ...config.tools, hidden: closed.hidden },
    root,
    home: paths.home,
    homeDirectory: homeDirectoryOf(app),
    noProject: whyNoProject(app, root),
    protectedPaths: closed.protected,
    grants,
    isConfined,
    mode,
    ownPlaces,
    skills: () => trustedSkillPlaces(app),
    realPath,
    gitRisk: (directory) => gitReach(fileSystem, directory, { project: root }).risk,
    isFile: (path) => isFile(app, path),
  });
}

/** The policy outside of a conversation of ollm: no program is confined, so that none runs unasked. */
export async function standingPolicy(
  app: App,
  options: Pick<ProjectPolicyOptions, 'mode' | 'ownPlaces'> = {},
): Promise<Policy> {
  return (await projectPolicy(app, { grants: openGrants(app), isConfined: false, ...options })).policy;
}

/** As far as it exists, with its links followed. What cannot be followed stays as it is written. */
export async function pathReader({ fileSystem }: Pick<App, 'fileSystem'>): Promise<(path: string) => string> {
  const { resolvePath } = await import('../../tools/paths.ts');
  return (path) => {
    try {
      return resolvePath(fileSystem, path, { root: '/', cwd: '/' }).path;
    } catch {
      return path;
    }
  };
}

/** What cannot be looked at counts as a file: then a name that may be that of a key is hidden. */
function isFile({ fileSystem }: App, path: string): boolean {
  try {
    return fileSystem.stat(path)?.kind === 'file';
  } catch {
    return true;
  }
}
