// What programs that only read see of git besides the project: the parts of its repository that are kept outside, and
// what of the user's own settings starts nothing, with the files of rules that these name.
import { isAbsolute, join } from 'node:path';
import { harmlessGitConfiguration } from '../../tools/git-configuration.ts';
import type { ReaderView } from '../../tools/run-program.ts';
import type { App } from '../app.ts';
import { gitReach } from '../git-reach.ts';
import { homeDirectoryOf } from '../home-directory.ts';
import { readTextFile } from '../read-text-file.ts';

const MAX_BYTES = 256 * 1024;

export function readerView(app: App, cwd: string): ReaderView {
  const { env, fileSystem, paths } = app;
  const home = homeDirectoryOf(app);
  const own = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'git');
  const sources = [
    env.GIT_CONFIG_SYSTEM || '/etc/gitconfig',
    ...(env.GIT_CONFIG_GLOBAL ? [env.GIT_CONFIG_GLOBAL] : [join(own, 'config'), join(home, '.gitconfig')]),
  ];
  const text = sources
    .map((path) => harmlessGitConfiguration(readTextFile(fileSystem, path, MAX_BYTES) ?? ''))
    .join('');
  const named = [...text.matchAll(/^\t(?:excludesfile|attributesfile)\s*=\s*"?([^"\n]+?)"?\s*$/gim)].map(([, path]) =>
    path!.replace(/^~(?=\/)/, () => home),
  );
  return {
    visible: [
      ...gitReach(fileSystem, cwd, { project: paths.project }).outside,
      ...['ignore', 'attributes'].map((name) => join(own, name)),
      ...named.filter((path) => isAbsolute(path)),
    ],
    given: [{ name: 'gitconfig', text, variable: 'GIT_CONFIG_GLOBAL' }],
  };
}
