// How git sees a file that is hidden from programs: unchanged. Without this it would report the file as modified, and a
// commit of all changes would store the emptiness in its place. A clean filter answers with the version in the index;
// a file that git does not know cannot be added. git asks the filter only where the size is that of the index, so the
// file is seen as long as it is.
import { attributePattern } from './git-reader.ts';
import type { GivenFile } from './sandboxing.ts';

interface HiddenFiles {
  /** Paths from the root of the repository. */
  readonly hidden: readonly string[];
  /** The user's own attributes, which count less. */
  readonly attributes: string;
  /** Settings for git that the environment has already: GIT_CONFIG_COUNT. */
  readonly settings: number;
}

const FILTER = 'ollm-hidden';

/** The file of attributes with the settings that go with it. */
export function unchangedInGit({ hidden, attributes, settings }: HiddenFiles): GivenFile {
  const rules = hidden.map((path) => `${attributePattern(path)} filter=${FILTER} -text -ident -working-tree-encoding`);
  return {
    name: 'attributes',
    text: `${[attributes, ...rules].join('\n')}\n`,
    variables: (place) => {
      const added = [
        ['core.attributesFile', place],
        [`filter.${FILTER}.clean`, 'git cat-file blob :%f'],
        [`filter.${FILTER}.required`, 'true'],
      ];
      return Object.fromEntries([
        ['GIT_CONFIG_COUNT', String(settings + added.length)],
        ...added.flatMap(([key, value], index) => [
          [`GIT_CONFIG_KEY_${settings + index}`, key],
          [`GIT_CONFIG_VALUE_${settings + index}`, value],
        ]),
      ]);
    },
  };
}
