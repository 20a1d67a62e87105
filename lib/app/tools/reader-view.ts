// What programs that only read see of git besides the project: the parts of its repository that are kept outside, and
// what of the user's own settings starts nothing, with the files of rules that these name. And what they do not see:
// the files in git's own store that have the names of keys, or are hidden by their place.
import { isAbsolute, join } from 'node:path';
import { furtherGitSetting } from '../../environment/program-defaults.ts';
import { isInside } from '../../platform/files/inside.ts';
import { harmlessGitConfiguration } from '../../tools/git-configuration.ts';
import { gitReader, hidingAttributes } from '../../tools/git-reader.ts';
import type { ReaderView } from '../../tools/run-program.ts';
import type { App } from '../app.ts';
import { gitReach } from '../git-reach.ts';
import { homeDirectoryOf } from '../home-directory.ts';
import { readTextFile } from '../read-text-file.ts';

const MAX_BYTES = 256 * 1024;

export interface ReaderOptions {
  readonly cwd: string;
  /** PATH without what the project brings along. */
  readonly path: string;
  /** What no tool sees, by its place. */
  readonly hidden: readonly string[];
}

export function readerView(app: App, { cwd, path, hidden }: ReaderOptions): ReaderView {
  const { config, env, fileSystem, paths } = app;
  const home = homeDirectoryOf(app);
  const own = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'git');
  const read = (file: string) => readTextFile(fileSystem, file, MAX_BYTES) ?? '';
  const sources = [
    env.GIT_CONFIG_SYSTEM || '/etc/gitconfig',
    ...(env.GIT_CONFIG_GLOBAL ? [env.GIT_CONFIG_GLOBAL] : [join(own, 'config'), join(home, '.gitconfig')]),
  ];
  const text = sources.map((file) => harmlessGitConfiguration(read(file))).join('');
  const named = (name: string) =>
    [...text.matchAll(new RegExp(`^\\t${name}\\s*=\\s*"?([^"\\n]+?)"?\\s*$`, 'gim'))]
      .map(([, file]) => file!.replace(/^~(?=\/)/, () => home))
      .filter((file) => isAbsolute(file));
  const { top = paths.project, outside } = gitReach(fileSystem, cwd, { project: paths.project });
  const inRepository = (places: readonly string[]) =>
    places.filter((place) => place !== top && isInside(top, place)).map((place) => place.slice(top.length + 1));
  const attribute = `ollm-${app.ids.token()}`;
  const attributes = hidingAttributes({
    attribute,
    attributes: read(named('attributesfile').at(-1) ?? join(own, 'attributes')),
    hidden: inRepository(hidden),
    opened: inRepository(config.tools.readable),
  });
  return {
    visible: [...outside, join(own, 'ignore'), ...named('excludesfile')],
    given: [
      { name: 'gitconfig', text, variables: (place) => ({ GIT_CONFIG_GLOBAL: place }) },
      {
        name: 'attributes',
        text: attributes,
        variables: (place) => furtherGitSetting('core.attributesFile', place),
      },
      gitReader({ attribute, path }),
    ],
  };
}
