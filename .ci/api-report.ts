// docs/api.md: each name that a program can import, with its promise and a mark of its declaration. A change of the
// public API changes the page, so that it is seen: `node .ci/published-types.ts --write` writes the page.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EmittedDeclarations } from './declarations.ts';

const PAGE = fileURLToPath(new URL('../docs/api.md', import.meta.url));
const MANIFEST = fileURLToPath(new URL('../package.json', import.meta.url));
const EXPERIMENTAL_ENTRIES = ['./app', './contracts', './adapters/'];
/** Exports of the other entries that may still change. */
const EXPERIMENTAL_NAMES = new Set([
  ...['openStoreOver', 'FileSystem', 'FileHandle', 'FileStat', 'FileKind', 'OpenMode', 'DirectoryEntry', 'DiskSpace'],
  ...['NewOwnEvent', 'OwnEvents', 'NoOwnEvents', 'EventOf'],
]);
const HEAD = `# The public API

Everything that a program can import. A name that is not here is internal, whatever file it is in.

- **stable**: a change that breaks a program comes only with a new major version, and the changelog names it before.
- **experimental** (\`?\`): it may change in any minor version; the changelog says how.

A line has the kind of the export, its name, and a mark of its declaration, which changes with it. \`npm run check\`
compares this page with the types as they are built; \`node .ci/published-types.ts --write\` writes it.
`;

/** A problem if the page is not that of these declarations. With `--write`, the page is written. */
export function changedReport(emitted: EmittedDeclarations): string[] {
  const report = reportOf(emitted);
  const page = readPage();
  if (page === report) return [];
  if (process.argv.includes('--write')) {
    writeFileSync(PAGE, report);
    return [];
  }
  const [before, after] = [new Set(page.split('\n')), new Set(report.split('\n'))];
  const differences = [
    ...[...before].filter((line) => !after.has(line)).map((line) => `- ${line}`),
    ...[...after].filter((line) => !before.has(line)).map((line) => `+ ${line}`),
  ];
  return [
    'The public API is not the one of docs/api.md. Is that meant? Then: node .ci/published-types.ts --write',
    ...differences.slice(0, 40),
  ];
}

function readPage(): string {
  try {
    return readFileSync(PAGE, 'utf8');
  } catch {
    return '';
  }
}

function reportOf(emitted: EmittedDeclarations): string {
  const { exports } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>;
  };
  // The front door comes last, because it hands the other entries on.
  const entries = Object.entries(exports).flatMap(([entry, { types }]) =>
    types === undefined ? [] : [{ entry, types }],
  );
  const listed = new Set<string>();
  return [
    HEAD,
    ...[...entries.filter(({ entry }) => entry !== '.'), ...entries.filter(({ entry }) => entry === '.')].map((each) =>
      sectionOf(emitted, each, listed),
    ),
  ].join('\n');
}

/** An export that an entry before it has is not repeated. */
function sectionOf(
  emitted: EmittedDeclarations,
  { entry, types }: { readonly entry: string; readonly types: string },
  listed: Set<string>,
): string {
  const isExperimental = EXPERIMENTAL_ENTRIES.some((each) => entry.startsWith(each));
  const lines: string[] = [];
  for (const [name, identity] of emitted.exportsOf(types.replace('./dist/', ''))) {
    const known = `${name}=${identity}`;
    if (listed.has(known)) continue;
    listed.add(known);
    const { kind, text } = emitted.declarationOf(identity)[1];
    const mark = hash('sha256', text.replace(/\s+/g, ' ').trim()).slice(0, 8);
    lines.push(`${kind.padEnd(9)} ${mark} ${name}${EXPERIMENTAL_NAMES.has(name) ? ' ?' : ''}`);
  }
  const promise = isExperimental ? 'experimental' : 'stable, except the names with a `?`';
  const also = entry === '.' ? '\n\nIt has the exports of `ollm/store`, `ollm/services` and `ollm/app` too.' : '';
  const title = `## \`ollm${entry.slice(1)}\``;
  return `${title}\n\n${promise[0]!.toUpperCase()}${promise.slice(1)}.${also}\n\n\`\`\`text\n${lines.sort(byName).join('\n')}\n\`\`\`\n`;
}

function byName(one: string, other: string): number {
  const [name = '', otherName = ''] = [one.slice(19), other.slice(19)];
  return name < otherName ? -1 : name > otherName ? 1 : 0;
}
