// Git for programs that only read. Visible in addition to the project: the parts of its repository that are stored
// outside, and harmless parts of the user's own settings, with the files of rules that these name. Invisible: files in
// git's own store with the names of keys, or hidden by their place.
import { furtherGitSetting } from '../../environment/program-defaults.ts';
import { isInside } from '../../platform/files/inside.ts';
import { gitReader, hidingAttributes } from '../../tools/git-reader.ts';
import type { ReaderView } from '../../tools/run-program.ts';
import type { App } from '../app.ts';
import { gitReach } from '../repository/git-reach.ts';
import { gitOfUser } from './git-of-user.ts';

interface ReaderOptions {
  readonly cwd: string;
  /** PATH without directories of the project. */
  readonly path: string;
  /** What no tool sees, by its place. */
  readonly hidden: readonly string[];
}

export function readerView(app: App, { cwd, path, hidden }: ReaderOptions): ReaderView {
  const { config, fileSystem, paths } = app;
  const user = gitOfUser(app);
  const { top = paths.project, outside } = gitReach(fileSystem, cwd, { project: paths.project });
  const inRepository = (places: readonly string[]) =>
    places.filter((place) => place !== top && isInside(top, place)).map((place) => place.slice(top.length + 1));
  const attribute = `ollm-${app.ids.token()}`;
  const attributes = hidingAttributes({
    attribute,
    attributes: user.attributes,
    hidden: inRepository(hidden),
    opened: inRepository(config.tools.readable),
  });
  return {
    visible: [...outside, ...user.ignoreFiles],
    given: [
      { name: 'gitconfig', text: user.configuration, variables: (place) => ({ GIT_CONFIG_GLOBAL: place }) },
      {
        name: 'attributes',
        text: attributes,
        variables: (place) => furtherGitSetting('core.attributesFile', place),
      },
      gitReader({ attribute, path }),
    ],
  };
}
