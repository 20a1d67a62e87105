// Every type that the public API names is exported, so that a program can write down the types of its own functions
// around it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIB = fileURLToPath(new URL('../../lib/', import.meta.url));
const read = (file: string) => readFileSync(join(LIB, file), 'utf8');
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, '');

/** The exported names of lib/index.ts, with the files that they come from. */
const EXPORTED = new Map(
  [...withoutComments(read('index.ts')).matchAll(/export (?:type )?\{([^}]*)\} from '\.\/([^']+)'/gu)].flatMap(
    ([, names = '', file = '']) =>
      names
        .split(',')
        .map((name) => name.replace(/\btype\b/u, '').trim())
        .filter((name) => name !== '')
        .map((name) => [name.split(/\s+as\s+/u)[0]!, file] as const),
  ),
);

/**
 * What others see of a declaration: all of an interface or type, the signature of a function, the heads of class
 * members.
 */
function declarationOf(name: string, text: string): string {
  const start = new RegExp(`^export (?:async )?(?:interface|type|function|class|const) ${name}\\b`, 'mu').exec(
    text,
  )?.index;
  if (start === undefined) return '';
  const rest = text.slice(start);
  if (/^export (?:async )?function/u.test(rest)) return rest.slice(0, rest.search(/ \{\n/u));
  if (/^export const/u.test(rest)) return rest.slice(0, rest.search(/ = |;/u));
  if (/^export class/u.test(rest)) {
    const members = rest.slice(0, rest.search(/^\}/mu)).split('\n');
    return members.filter((line) => /^ {2}(?![#}\s])/u.test(line)).join('\n');
  }
  return rest.slice(0, rest.search(/^export type/u) === 0 ? rest.search(/;$/mu) + 1 : rest.search(/^\}/mu) + 1);
}

/** The types of lib that a file can name: those it imports, and those it declares. */
function knownTypes(text: string, file: string): Set<string> {
  const imported = [...text.matchAll(/import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gu)]
    .filter(([, , from = '']) => !join(dirname(file), from).startsWith('..'))
    .flatMap(([, names = '']) => names.split(',').map((name) => name.replace(/\btype\b/u, '').trim()));
  const declared = [...text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gmu)].map(([, name = '']) => name);
  return new Set([...imported, ...declared]);
}

it('the public API exports every type that it names', () => {
  const missing = new Set<string>();
  for (const [name, file] of EXPORTED) {
    const text = withoutComments(read(file));
    const known = knownTypes(text, file);
    const words =
      declarationOf(name, text)
        .replace(/'[^'\n]*'/gu, '')
        .match(/\b[A-Z]\w*/gu) ?? [];
    for (const word of words) {
      if (word !== name && known.has(word) && !EXPORTED.has(word) && /[a-z]/u.test(word))
        missing.add(`${word}, named by ${name}`);
    }
  }
  expect([...missing].sort()).toEqual([]);
});
