// The types as they are published, of which "npm run check" speaks: every type that the public API names is exported,
// so that a program can write down the types of its own functions around it, and programs that are checked most
// strictly can use them. Looks at the declarations that a program is given: they also hold the types that the compiler
// inferred.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Entries whose every type is exported by themselves, with how many exports each has at least. */
const ENTRIES = { 'index.d.ts': 300, 'store.d.ts': 100 } as const;
/** Their types have been checked by another step. */
const DECLARATIONS = ['--noCheck', '--emitDeclarationOnly'];

/** A declaration: the file and the name that it has there. */
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

const directory = mkdtempSync(join(ROOT, '.tmp-types-'));
try {
  const emitted = compile('-p', join(ROOT, 'tsconfig.build.json'), ...DECLARATIONS, '--outDir', directory);
  const problems = emitted === '' ? [...notExported(), ...refusedByExamples()] : [emitted];
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Types that the public API names and does not export. */
function notExported(): string[] {
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
  const takeInto = (exported: Set<Identity>, file: string): void => {
    const { declared, handedOn, stars } = read(file);
    const own = [...declared].filter(([, { isExported }]) => isExported).map(([name]) => name);
    for (const name of [...own, ...handedOn.keys()]) {
      const identity = resolve(file, name);
      if (identity !== undefined) exported.add(identity);
    }
    for (const star of stars) takeInto(exported, star);
  };
  return Object.entries(ENTRIES).flatMap(([entry, least]) => {
    const exported = new Set<Identity>();
    takeInto(exported, entry);
    if (exported.size < least)
      throw new Error(`${entry}: only ${exported.size} exports: the declarations are not read.`);
    return missingOf(exported).map((problem) => `${entry}: ${problem}`);
  });

  function missingOf(exported: ReadonlySet<Identity>): string[] {
    const missing = new Set<string>();
    for (const identity of exported) {
      const [file, { text }] = declarationOf(identity);
      const inline = [...text.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/gu)].map(([, from = '', inner = '']) =>
        resolve(fileBeside(file, from), inner),
      );
      const words = (text.replace(/"[^"\n]*"/gu, '').match(/\b[A-Za-z_]\w*/gu) ?? []).map((word) =>
        resolve(file, word),
      );
      for (const named of [...inline, ...words]) {
        if (named === undefined || exported.has(named) || !declarationOf(named)[1].isType) continue;
        missing.add(`not exported: ${named}, named by ${identity}`);
      }
    }
    return [...missing].sort();
  }
}

/** What the compiler says of the examples when it checks them and the declarations most strictly. */
function refusedByExamples(): string[] {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    paths: { ollm: [join(directory, 'index.d.ts')], 'ollm/*': [join(directory, '*.d.ts')] },
  };
  const examples = join(ROOT, 'docs', 'examples');
  const files = readdirSync(examples).map((name) => join(examples, name));
  const project = join(directory, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions: options, files }));
  const said = compile('-p', project);
  return said === '' ? [] : [said];
}

/** What the compiler says, nothing if all is well. */
function compile(...args: string[]): string {
  const tsc = join(ROOT, 'node_modules/typescript/lib/tsc.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...args], { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`.trim() || `The compiler ended with ${status}.`;
}

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
