// The types as they are published, a part of "npm run check": every type that the public API names is exported, so that
// a program can write down the types of its own functions around it, and programs with the strictest checks can use
// them. Reads the declarations that a program gets: they also have the types that the compiler inferred. docs/api.md
// has their promises (api-report.ts): `--write` takes a change over.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changedReport } from './api-report.ts';
import { EmittedDeclarations, fileBeside } from './declarations.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Entries whose every type is exported by themselves, with how many exports each has at least. */
const ENTRIES = { 'index.d.ts': 300, 'store.d.ts': 100 } as const;
/** Types that programs need although no function names them: parts of others, and those of a store around a store. */
const FOR_PROGRAMS = new Set([
  ...['ErrorCodeEntry', 'JournalBytes', 'MessagePart', 'ReadingMethod', 'RetryAdvice', 'SentForm', 'TakingMethod'],
  ...['ToolFailure', 'TurnStatus'],
]);
/** Their programs are compiled too. Those of docs/adapters.md are, in their tests, together with the real packages. */
const PAGES = ['README.md', 'docs/library.md', 'docs/own-store.md', 'docs/journal-package.md'];
/** Their types have been checked by another step. */
const DECLARATIONS = ['--noCheck', '--emitDeclarationOnly'];

const directory = mkdtempSync(join(ROOT, '.tmp-types-'));
try {
  const refused = compile('-p', join(ROOT, 'tsconfig.build.json'), ...DECLARATIONS, '--outDir', directory);
  const emitted = new EmittedDeclarations(directory);
  const problems =
    refused === ''
      ? [...notExported(emitted), ...notNamed(emitted), ...changedReport(emitted), ...refusedByExamples()]
      : [refused];
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Types that the public API names and does not export. */
function notExported(emitted: EmittedDeclarations): string[] {
  return Object.entries(ENTRIES).flatMap(([entry, least]) => {
    const exported = new Set(emitted.exportsOf(entry).values());
    if (exported.size < least)
      throw new Error(`${entry}: only ${exported.size} exports: the declarations are not read.`);
    return missingOf(exported).map((problem) => `${entry}: ${problem}`);
  });

  function missingOf(exported: ReadonlySet<Identity>): string[] {
    const missing = new Set<string>();
    for (const identity of exported) {
      for (const named of namedBy(emitted, identity)) {
        if (exported.has(named) || !emitted.declarationOf(named)[1].isType) continue;
        missing.add(`not exported: ${named}, named by ${identity}`);
      }
    }
    return [...missing].sort();
  }
}

/** Exported types that no function of the library takes or gives, not even by another type. */
function notNamed(emitted: EmittedDeclarations): string[] {
  return Object.keys(ENTRIES).flatMap((entry) => {
    const exported = [...emitted.exportsOf(entry)];
    const named = new Set(exported.flatMap(([, each]) => (emitted.declarationOf(each)[1].isType ? [] : [each])));
    // The loop also reaches members that it adds.
    for (const identity of named) for (const each of namedBy(emitted, identity)) named.add(each);
    return exported.flatMap(([name, identity]) =>
      named.has(identity) || FOR_PROGRAMS.has(name) ? [] : [`${entry}: no function takes or gives a ${name}`],
    );
  });
}

function namedBy(emitted: EmittedDeclarations, identity: Identity): readonly Identity[] {
  const [file, { text }] = emitted.declarationOf(identity);
  const inline = [...text.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/gu)].map(([, from = '', inner = '']) =>
    emitted.resolve(fileBeside(file, from), inner),
  );
  const words = (text.replace(/"[^"\n]*"/gu, '').match(/\b[A-Za-z_]\w*/gu) ?? []).map((word) =>
    emitted.resolve(file, word),
  );
  return [...inline, ...words].filter((named) => named !== undefined);
}

/** The errors of the compiler for the examples and pages, when it checks them and the declarations most strictly. */
function refusedByExamples(): string[] {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: {
      ollm: [join(directory, 'index.d.ts')],
      'ollm/*': [join(directory, '*.d.ts')],
      '@ollm/journal': [join(directory, 'store.d.ts')],
    },
  };
  const examples = join(ROOT, 'docs', 'examples');
  const programs = join(directory, 'programs');
  mkdirSync(programs);
  for (const name of readdirSync(examples)) copyFileSync(join(examples, name), join(programs, name));
  for (const page of PAGES) {
    const blocks = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)];
    for (const [at, [, code = '']] of blocks.entries())
      writeFileSync(join(programs, `${basename(page)}.${at}.ts`), code);
  }
  const files = readdirSync(programs).map((name) => join(programs, name));
  const project = join(directory, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions: options, files }));
  const said = compile('-p', project);
  return said === '' ? [] : [said];
}

/** The errors of the compiler, empty if all is well. */
function compile(...args: string[]): string {
  const tsc = join(ROOT, 'node_modules/typescript/lib/tsc.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...args], { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`.trim() || `The compiler ended with ${status}.`;
}
