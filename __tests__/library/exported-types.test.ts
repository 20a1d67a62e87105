// Every type that the public API names is exported, so that a program can write down the types of its own functions
// around it. Looks at the declarations that a program is given: they also hold the types that the compiler inferred.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A declaration: the file and the name under which it stands there. */
type Identity = `${string}#${string}`;

interface Declaration {
  /** Without comments. */
  readonly text: string;
  readonly isType: boolean;
  readonly isExported: boolean;
}

interface Declarations {
  readonly declared: ReadonlyMap<string, Declaration>;
  /** The names that come from other files, as they are called here. */
  readonly imported: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  /** Names that the file hands on, and the files of which it hands on all. */
  readonly handedOn: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  readonly stars: readonly string[];
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ollm-declarations-'));
  const tsc = [join(ROOT, 'node_modules/typescript/lib/tsc.js'), '-p', join(ROOT, 'tsconfig.build.json')];
  execFileSync(process.execPath, [...tsc, '--emitDeclarationOnly', '--outDir', directory]);
}, 300_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('the public API exports every type that it names', () => {
  const files = new Map<string, Declarations>();
  const read = (file: string): Declarations => {
    const known = files.get(file) ?? declarationsOf(readFileSync(join(directory, file), 'utf8'), file);
    files.set(file, known);
    return known;
  };
  /** Undefined for what is not ours: a global type, a type parameter, a type of a package. */
  const resolve = (file: string, name: string): Identity | undefined => {
    const { declared, imported, handedOn, stars } = read(file);
    if (declared.has(name)) return `${file}#${name}`;
    const from = handedOn.get(name) ?? imported.get(name);
    if (from !== undefined) return resolve(from.file, from.name);
    return stars.map((star) => resolve(star, name)).find((identity) => identity !== undefined);
  };
  const declarationOf = (identity: Identity): [file: string, declaration: Declaration] => {
    const [file = '', name = ''] = identity.split('#');
    return [file, read(file).declared.get(name)!];
  };
  const exported = new Set<Identity>();
  const take = (file: string): void => {
    const { declared, handedOn, stars } = read(file);
    const own = [...declared].filter(([, { isExported }]) => isExported).map(([name]) => name);
    for (const name of [...own, ...handedOn.keys()]) {
      const identity = resolve(file, name);
      if (identity !== undefined) exported.add(identity);
    }
    for (const star of stars) take(star);
  };
  take('index.d.ts');
  expect(exported.size).toBeGreaterThan(300);

  const missing = new Set<string>();
  for (const identity of exported) {
    const [file, { text }] = declarationOf(identity);
    const inline = [...text.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/gu)].map(([, from = '', inner = '']) =>
      resolve(fileBeside(file, from), inner),
    );
    const words = (text.replace(/"[^"\n]*"/gu, '').match(/\b[A-Za-z_]\w*/gu) ?? []).map((word) => resolve(file, word));
    for (const named of [...inline, ...words]) {
      if (named === undefined || exported.has(named) || !declarationOf(named)[1].isType) continue;
      missing.add(`${named}, named by ${identity}`);
    }
  }
  expect([...missing].sort()).toEqual([]);
});

function declarationsOf(source: string, file: string): Declarations {
  const text = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, '');
  const declared = new Map<string, Declaration>();
  const imported = new Map<string, { file: string; name: string }>();
  const handedOn = new Map<string, { file: string; name: string }>();
  const stars: string[] = [];
  for (const statement of text.split(/^(?=export |import |declare |interface |type |class )/mu)) {
    const [, verb, names = '', from] =
      /^(import|export) (?:type )?\{([^}]*)\}(?: from '([^']+)')?/u.exec(statement) ?? [];
    const star = /^export (?:type )?\* from '(\.[^']+)'/u.exec(statement)?.[1];
    if (star !== undefined) stars.push(fileBeside(file, star));
    for (const each of names.split(',').filter((entry) => verb !== undefined && entry.trim() !== '')) {
      const [name = '', alias = name] = each
        .replace(/\btype\b/u, '')
        .trim()
        .split(/\s+as\s+/u);
      if (from?.startsWith('.'))
        (verb === 'import' ? imported : handedOn).set(alias, { file: fileBeside(file, from), name });
      else if (verb === 'export' && from === undefined && alias !== name) handedOn.set(alias, { file, name });
    }
    const declaration =
      /^(export )?(?:declare )?(?:abstract )?(interface|type|function|class|const) (\w+)([\s\S]*)/u.exec(statement);
    const [, isExported, kind = '', name = '', rest = ''] = declaration ?? [];
    if (declaration === null) continue;
    const text = (declared.get(name)?.text ?? '') + rest;
    const isType = kind === 'interface' || kind === 'type' || kind === 'class';
    declared.set(name, { text, isType, isExported: isExported !== undefined });
  }
  return { declared, imported, handedOn, stars };
}

/** `./tools/tool.ts` and `./tools/tool.js`, as a file imports them, are `tools/tool.d.ts`. */
function fileBeside(file: string, from: string): string {
  return join(dirname(file), from).replace(/\.[jt]s$/u, '.d.ts');
}
