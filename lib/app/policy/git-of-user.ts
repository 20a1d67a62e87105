// What of the user's own settings for git starts nothing, and the files with rules that these name.
import { isAbsolute, join } from 'node:path';
import { xdgDirectory } from '../../platform/xdg.ts';
import { harmlessGitConfiguration } from '../../tools/git-configuration.ts';
import type { App } from '../app.ts';
import { readTextFile } from '../repository/read-text-file.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';

const MAX_BYTES = 256 * 1024;

interface GitOfUser {
  /** As a file of settings. */
  readonly configuration: string;
  /** Paths of files with patterns that are ignored. */
  readonly ignoreFiles: readonly string[];
  /** The text of the file of attributes. */
  readonly attributes: string;
}

export function gitOfUser(app: App): GitOfUser {
  const { env, fileSystem } = app;
  const home = homeDirectoryOf(app);
  const own = join(xdgDirectory('config', { env, home }), 'git');
  const read = (file: string) => readTextFile(fileSystem, file, MAX_BYTES) ?? '';
  const sources = [
    env.GIT_CONFIG_SYSTEM || '/etc/gitconfig',
    ...(env.GIT_CONFIG_GLOBAL ? [env.GIT_CONFIG_GLOBAL] : [join(own, 'config'), join(home, '.gitconfig')]),
  ];
  const configuration = sources.map((file) => harmlessGitConfiguration(read(file))).join('');
  const named = (name: string) =>
    [...configuration.matchAll(new RegExp(`^\\t${name}\\s*=\\s*"?([^"\\n]+?)"?\\s*$`, 'gim'))]
      .map(([, file]) => file!.replace(/^~(?=\/)/, () => home))
      .filter((file) => isAbsolute(file));
  return {
    configuration,
    ignoreFiles: [join(own, 'ignore'), ...named('excludesfile')],
    attributes: read(named('attributesfile').at(-1) ?? join(own, 'attributes')),
  };
}
