// The style of a part counts in the whole document once it is loaded, so that a rule for one class also meets an
// element of another view that has a class of that name.
import { basename, dirname, join, normalize } from 'node:path';
import { sourcesIn } from '../../../.ci/sources.ts';

const PAGE = 'lib/page';
const modules = new Map(sourcesIn(PAGE));
const styles = sourcesIn(PAGE, /\.css$/).filter(([file]) => !file.startsWith(`${PAGE}/style/`));

const IMPORT = /^(?:import|export)\b(?!\s+type\b)(?:[^;'"]*?\bfrom\s*)?\s*'(\.[^']+)'/gm;

const IMPORT_LATER = /\bimport\('(\.[^']+)'/g;

/** A module with all that is loaded with it, styles too; and with all that it loads later. */
function loadedBy(start: string, expressions: readonly RegExp[]): ReadonlySet<string> {
  const found = new Set([start]);
  for (const file of found) {
    const paths = expressions.flatMap((each) =>
      Array.from(modules.get(file)?.matchAll(each) ?? [], ([, path]) => path!),
    );
    for (const path of paths) found.add(normalize(join(dirname(file), path)));
  }
  return found;
}

/** Classes that have a rule wherever they are, except on paper: there a rule of the conversation hides other parts. */
function classesEverywhere(css: string): ReadonlySet<string> {
  const onScreen = css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@media print \{(?:[^{}]*\{[^{}]*\})*\s*\}/g, '');
  const selectors = Array.from(onScreen.matchAll(/([^{}]+)\{/g), ([, selector = '']) => selector.split(',')).flat();
  return new Set(selectors.flatMap((each) => /^\.([\w-]+)(?:::?[\w-]+(?:\([^)]*\))?)*$/.exec(each.trim())?.[1] ?? []));
}

/** Classes of elements: each word of a text in a `class`. */
function classesOf(tsx: string): ReadonlySet<string> {
  const values = Array.from(tsx.matchAll(/\bclass=(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\})/g));
  const texts = values.flatMap(([, text, code = '']) =>
    text === undefined ? Array.from(code.matchAll(/'([^']*)'|`([^`]*)`/g), ([, a, b]) => a ?? b ?? '') : [text],
  );
  return new Set(texts.flatMap((text) => text.replace(/\$\{[^}]*\}/g, ' ').split(/\s+/)));
}

it('a rule for one class of a part meets only elements that are loaded with its style, or inside of it', () => {
  const groups = [...modules.keys()].map((file) => loadedBy(file, [IMPORT]));
  const used = new Map([...modules].map(([file, tsx]) => [file, classesOf(tsx)]));
  const strays = styles.flatMap(([style, css]) => {
    const owners = [...modules.keys()].filter((file) => modules.get(file)!.includes(`/${basename(style)}'`));
    const inside = owners.map((file) => loadedBy(file, [IMPORT, IMPORT_LATER]));
    const together = new Set([...groups.filter((group) => group.has(style)), ...inside].flatMap((group) => [...group]));
    return [...classesEverywhere(css)].flatMap((name) =>
      [...used].flatMap(([file, names]) =>
        names.has(name) && !together.has(file) ? [`.${name} of ${style} meets ${file}`] : [],
      ),
    );
  });
  expect(strays).toEqual([]);
  expect(styles.length).toBeGreaterThan(30);
});
