// The declarations that a program is given, read from the files that the compiler emits: which names an entry exports,
// and the text of each.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A declaration: the file and the name that it has there. */
export type Identity = `${string}#${string}`;

export interface Declaration {
  readonly kind: string;
  /** Without comments. */
  readonly text: string;
  readonly isType: boolean;
  readonly isExported: boolean;
}

/** `index`, `store`, `adapters/langchain`: what package.json exports. */
export function libraryEntries(root: string): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly default?: string }>>;
  };
  return Object.values(exports).flatMap(({ default: file }) => file?.slice('./dist/'.length, -'.js'.length) ?? []);
}

/** The files of these declarations, with all that they import. Paths are absolute. */
export function reachedDeclarations(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    const text = readFileSync(path, 'utf8');
    for (const [, from = ''] of text.matchAll(/(?:\bfrom |\bimport\()["'](\.[^"']+)["']/g))
      reach(fileBeside(path, from));
  };
  for (const entry of entries) reach(entry);
  return reached;
}

interface Declarations {
  readonly declared: ReadonlyMap<string, Declaration>;
  /** The names that come from other files, as they are called here. */
  readonly imported: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  /** Names that the file hands on, and the files of which it hands on all. */
  readonly handedOn: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  readonly stars: readonly string[];
}

export class EmittedDeclarations {
  readonly #directory: string;
  readonly #files = new Map<string, Declarations>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Undefined for a global type, a type parameter and a type of a package. */
  resolve(file: string, name: string): Identity | undefined {
    const { declared, imported, handedOn, stars } = this.#read(file);
    if (declared.has(name)) return `${file}#${name}`;
    const from = handedOn.get(name) ?? imported.get(name);
    if (from !== undefined) return this.resolve(from.file, from.name);
    return stars.map((star) => this.resolve(star, name)).find((identity) => identity !== undefined);
  }

  declarationOf(identity: Identity): [file: string, declaration: Declaration] {
    const [file = '', name = ''] = identity.split('#');
    return [file, this.#read(file).declared.get(name)!];
  }

  /** The exports of an entry, by the names that they have there. */
  exportsOf(file: string, found = new Map<string, Identity>()): ReadonlyMap<string, Identity> {
    const { declared, handedOn, stars } = this.#read(file);
    const own = [...declared].filter(([, { isExported }]) => isExported).map(([name]) => name);
    for (const name of [...own, ...handedOn.keys()]) {
      const identity = this.resolve(file, name);
      if (identity !== undefined) found.set(name, identity);
    }
    for (const star of stars) this.exportsOf(star, found);
    return found;
  }

  #read(file: string): Declarations {
    const known = this.#files.get(file) ?? declarationsOf(readFileSync(join(this.#directory, file), 'utf8'), file);
    this.#files.set(file, known);
    return known;
  }
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
    declared.set(name, { kind, text, isType, isExported: isExported !== undefined });
  }
  return { declared, imported, handedOn, stars };
}

/** `./tools/tool.ts` and `./tools/tool.js`, as a file imports them, are `tools/tool.d.ts`. */
export function fileBeside(file: string, from: string): string {
  return join(dirname(file), from).replace(/\.[jt]s$/u, '.d.ts');
}
