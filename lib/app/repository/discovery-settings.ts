// The settings for finding files, from the configuration and git.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DiscoveryOptions } from '../../discovery/types.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { xdgDirectory } from '../../platform/xdg.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';

export type DiscoverySettings = Pick<
  DiscoveryOptions,
  'maxDepth' | 'followSymlinks' | 'builtinIgnores' | 'globalExcludes'
>;

const GIT_LIMIT_MS = 2000;

export async function discoverySettings(app: App): Promise<DiscoverySettings> {
  const { maxDepth, followSymlinks, builtinIgnores } = app.config.services.fileDiscovery;
  return { maxDepth, followSymlinks, builtinIgnores, globalExcludes: await globalExcludes(app) };
}

/**
 * Where the user keeps the rules for all repositories. git is asked, since its own files may include others; without
 * git, or without a setting, it is the file that git would take. A git that the project brought is not started.
 */
async function globalExcludes({ env, cwd, paths }: Pick<App, 'env' | 'cwd' | 'paths'>): Promise<string> {
  const usual = join(xdgDirectory('config', { env, home: homeDirectoryOf({ env }) }), 'git', 'ignore');
  try {
    const question = ['config', '--type=path', '--get', 'core.excludesFile'];
    const git = findProgram('git', { path: env.PATH, cwd, untrusted: [paths.project] });
    const { stdout } = await promisify(execFile)(git, question, { cwd, env, timeout: GIT_LIMIT_MS });
    return stdout.trimEnd() || usual;
  } catch {
    return usual;
  }
}
