// Holds the imports of lib/ against the one table of directions, and finds circles, of files and of the folders inside
// those of the table. Type imports count too: a file that needs another's types depends on it. Prints each breach, and
// where the map in docs/architecture.md differs, and by which way the page would take a module of Node into a browser.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT, sourcesIn } from './sources.ts';

/**
 * Each folder of lib/ with the folders that it may import from, in addition to itself. docs/architecture.md must show
 * the same.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  messages: [],
  display: [],
  platform: ['errors'],
  journal: ['errors', 'platform'],
  events: ['errors', 'messages', 'journal'],
  agents: ['errors', 'messages', 'platform', 'journal', 'events'],
  'agent-config': ['errors', 'platform', 'display', 'agents', 'environment'],
  tokens: ['errors', 'messages'],
  environment: ['errors', 'platform'],
  config: ['errors', 'platform', 'environment'],
  discovery: ['errors', 'platform'],
  'loop-detection': [],
  ranking: [],
  projections: ['errors', 'messages', 'journal', 'events', 'tokens', 'loop-detection'],
  providers: ['errors', 'messages', 'platform', 'discovery', 'environment', 'ranking'],
  tools: ['errors', 'messages', 'platform', 'display', 'tokens', 'discovery', 'environment'],
  mcp: ['errors', 'platform', 'display', 'environment', 'tools'],
  hooks: ['errors', 'platform', 'display', 'tools'],
  context: ['errors', 'messages', 'tokens', 'projections', 'providers'],
  exporters: ['errors', 'messages', 'display', 'journal', 'events', 'projections', 'blame'],
  session: ['errors', 'messages', 'platform', 'journal', 'events', 'projections'],
  turn: [
    'errors',
    'messages',
    'platform',
    'journal',
    'events',
    'tokens',
    'environment',
    'loop-detection',
    'projections',
    'context',
    'providers',
    'session',
    'tools',
    'hooks',
  ],
  catalog: ['errors', 'messages', 'platform', 'journal', 'events', 'tokens', 'ranking', 'projections', 'blame'],
  'file-store': ['errors', 'platform', 'journal'],
  seals: ['errors', 'platform', 'journal'],
  blame: [],
  stores: ['errors', 'platform', 'journal', 'events', 'environment', 'file-store'],
  nats: ['errors', 'platform', 'journal'],
  retrieval: ['errors', 'messages', 'platform', 'display', 'tokens', 'discovery', 'ranking', 'catalog'],
  runs: ['errors', 'platform', 'agents'],
  handover: ['errors', 'messages', 'platform', 'journal', 'events', 'agents', 'projections'],
  hub: ['errors', 'platform', 'journal', 'events', 'agents', 'session', 'catalog', 'stores'],
  page: ['messages', 'display', 'events', 'projections', 'api', 'client', 'blame'],
  library: ['*'],
  adapters: [
    'errors',
    'messages',
    'platform',
    'journal',
    'events',
    'environment',
    'agents',
    'tokens',
    'projections',
    'providers',
    'tools',
    'session',
    'stores',
    'hub',
  ],
  app: ['*'],
  lead: ['*'],
  host: ['*'],
  'mcp-server': ['*'],
  acp: ['*'],
  api: ['errors'],
  client: ['api'],
  server: ['*'],
  cli: ['*'],
  repl: ['*'],
  '.': ['*'],
};
/** What even those that may import from everywhere must not touch. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  library: ['app', 'lead', 'host', 'server', 'client', 'cli', 'repl'],
  app: ['lead', 'host', 'server', 'client', 'cli', 'repl'],
  lead: ['library', 'host', 'server', 'client', 'cli', 'repl'],
  host: ['library', 'server', 'client', 'cli', 'repl'],
  acp: ['library', 'host', 'server', 'client', 'cli', 'repl'],
  'mcp-server': ['library', 'lead', 'host', 'server', 'client', 'cli', 'repl'],
  server: ['client', 'cli', 'repl'],
  cli: [],
  repl: ['cli', 'server', 'client'],
  '.': ['host', 'server', 'client', 'cli', 'repl'],
};
/** The floors above everything that runs without a clock and without chance of its own. */
const ABOVE = new Set(['app', 'lead', 'host', 'mcp-server', 'acp', 'server', 'page', 'cli', 'repl', 'library', '.']);
/** Files below them that read a clock, or draw random values, all the same. Everything else is handed its values. */
const CLOCK_OR_CHANCE = /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bMath\.random\b|\brandom(?:UUID|Bytes)\b/;
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'platform/clock.ts': 'it is the clock',
  'platform/ids.ts': 'it is where ids come from',
  'stores/sealing/encryption.ts': 'keys and nonces must not be predictable by any caller',
  'tools/builtin/matcher.ts': 'a bound for one search',
  'mcp/stdio-transport.ts': 'a rate of bytes',
  'nats/publish.ts': 'a bound for one append',
  'nats/compare-and-set.ts': 'a bound for one change',
  'turn/request/retry.ts': 'a default, which tests replace',
};
/** Where a text may be declared to be of ollm, its user or its model, and so go to a model without delimiters. */
const MAY_DECLARE_OWN_TEXT = ['messages', 'context', 'turn'];
/** Columns of the picture of the floors that have the names of folders. */
const [FOLDERS_FROM, FOLDERS_TO] = [14, 66];
/**
 * The bridges between the skins: the command `repl` starts the REPL, which asks a server by its token and
 * its certificate for a session.
 */
const BRIDGES = new Set([
  'cli/commands/repl.ts -> repl/repl.ts',
  'repl/take-over.ts -> server/token.ts',
  'repl/take-over.ts -> server/own-fetch.ts',
]);

/** Where the page begins: all that it takes from there, types apart, runs in a browser. */
const PAGE = 'page/main.tsx';

/** By their paths below lib/. */
const textOf = new Map(sourcesIn('lib').map(([file, text]) => [file.slice('lib/'.length), text]));
const files = [...textOf.keys()];
const graph = new Map<string, string[]>();
for (const [file, text] of textOf) {
  const targets = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  graph.set(
    file,
    Array.from(targets, ([, target = '']) => normalize(join(dirname(file), target))),
  );
}
const map = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

const breaches = [...graph].flatMap(([file, targets]) =>
  targets.filter((target) => !isAllowed(file, target)).map((target) => `${file} imports ${target}`),
);
const circles = [...findCircles(graph), ...findCircles(graphOfFolders())];
const ofNode = waysToNode(PAGE);
for (const way of ofNode) console.error(`A browser has no such module: ${way.join(' -> ')}`);
for (const breach of breaches) console.error(`Against the direction: lib/${breach}`);
for (const circle of circles) console.error(`Circle: ${circle.join(' -> ')}`);
const clocks = files.filter((file) => !ABOVE.has(folderOf(file)) && !(file in EXCEPTIONS) && usesClockOrChance(file));
for (const file of clocks) console.error(`Reads a clock, or draws random values, by itself: lib/${file}`);
const unused = Object.keys(EXCEPTIONS).filter((file) => !graph.has(file) || !usesClockOrChance(file));
for (const file of unused) console.error(`No exception is needed: lib/${file}`);
const openDoors = files.filter((file) => !MAY_DECLARE_OWN_TEXT.includes(folderOf(file)) && declaresOwnText(file));
for (const file of openDoors) console.error(`May not call ownText: lib/${file}`);
const imported = new Set([...graph.values()].flat());
const barrels = files.filter((file) => file.endsWith('/index.ts') && !imported.has(file));
for (const file of barrels) console.error(`Nothing in lib/ imports it: lib/${file}`);
const stale = [...differencesFromMap(), ...differencesFromPicture()];
for (const difference of stale) console.error(`docs/architecture.md: ${difference}`);
if ([breaches, ofNode, circles, clocks, unused, openDoors, barrels, stale].some(({ length }) => length > 0))
  process.exitCode = 1;

/** Each import of Node in the modules that a start takes, with the shortest way to it. */
function waysToNode(start: string): string[][] {
  if (!textOf.has(start)) return [[`lib/${start} is not there`]];
  const found: string[][] = [];
  const ways = new Map([[start, [start]]]);
  for (const [file, way] of ways) {
    for (const target of valuesFrom(file)) {
      if (target.startsWith('node:')) found.push([...way, target]);
      else if (textOf.has(target) && !ways.has(target)) ways.set(target, [...way, target]);
    }
  }
  return found;
}

/** Modules that a bundle with the file has the code of. */
function valuesFrom(file: string): string[] {
  const statements = textOf
    .get(file)!
    .matchAll(/^(?:import|export)\b(?!\s+type\b)(?:[^;'"]*?\bfrom\s*)?\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm);
  return Array.from(statements, ([, target, later]) => target ?? later!).map((path) =>
    path.startsWith('.') ? normalize(join(dirname(file), path)) : path,
  );
}

function usesClockOrChance(file: string): boolean {
  return CLOCK_OR_CHANCE.test((textOf.get(file) ?? '').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''));
}

function declaresOwnText(file: string): boolean {
  return /\bownText\b/.test(textOf.get(file)!);
}

function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '.') : '.';
}

function isAllowed(file: string, target: string): boolean {
  const from = folderOf(file);
  const to = folderOf(target);
  if (from === to || BRIDGES.has(`${file} -> ${target}`)) return true;
  if (to === '.') return target === 'version.ts';
  const allowed = ALLOWED[from];
  if (!allowed) return false;
  if (from === 'cli' && to === 'repl') return false;
  return allowed.includes('*') ? !(FORBIDDEN[from] ?? []).includes(to) : allowed.includes(to);
}

/** Folders that stand side by side inside one of those above, with those that they import from. */
function graphOfFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    for (const target of targets) {
      const [from, to] = foldersApart(file, target);
      if (from !== undefined && to !== undefined) folders.set(from, (folders.get(from) ?? new Set()).add(to));
    }
  }
  return folders;
}

/**
 * The folders where the paths of two files part; none if that is at the top, or one of them is next to the other's
 * folder.
 */
function foldersApart(file: string, target: string): readonly string[] {
  const [one, other] = [dirname(file).split('/'), dirname(target).split('/')];
  const shared = one.findIndex((folder, depth) => folder !== other[depth]);
  if (shared < 1 || shared >= other.length) return [];
  return [one.slice(0, shared + 1).join('/'), other.slice(0, shared + 1).join('/')];
}

function findCircles(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const found: string[][] = [];
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    state.set(file, 'open');
    path.push(file);
    for (const target of graph.get(file) ?? []) if (graph.has(target)) visit(target);
    path.pop();
    state.set(file, 'done');
  };
  for (const file of graph.keys()) visit(file);
  return found;
}

/** Where the table of docs/architecture.md says something else. It leaves out `errors`, which everything may use. */
function differencesFromMap(): string[] {
  const namesIn = (cell = '') => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name).sort();
  const shown = new Map<string, string>();
  for (const [, folders, knows] of map.matchAll(/^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \|$/gm)) {
    const names = knows === 'everything above' ? '*' : namesIn(knows).join(', ');
    for (const folder of namesIn(folders)) shown.set(folder, names);
  }
  return Object.entries(ALLOWED).flatMap(([folder, targets]) => {
    const expected = targets
      .filter((target) => target !== 'errors')
      .sort()
      .join(', ');
    if (folder === '.' || shown.get(folder) === expected) return [];
    return [`${folder} knows “${expected}”, and the page says “${shown.get(folder) ?? 'nothing of it'}”`];
  });
}

/** Where the picture of the floors lacks a folder, or has one above those that import from it. */
function differencesFromPicture(): string[] {
  const picture = /## The floors of `lib\/`[\s\S]*?```\n([\s\S]*?)```/.exec(map)?.[1] ?? '';
  const floors = new Map<string, number>();
  for (const [floor, row] of picture.trimEnd().split('\n').entries()) {
    for (const folder of row.slice(FOLDERS_FROM, FOLDERS_TO).trim().split(/ +/)) floors.set(folder, floor);
  }
  return Object.keys(ALLOWED).flatMap((folder) => {
    if (folder === '.') return [];
    const floor = floors.get(folder);
    if (floor === undefined) return [`the picture of the floors lacks ${folder}`];
    const used = new Set(
      [...graph].flatMap(([file, targets]) => (folderOf(file) === folder ? targets.map(folderOf) : [])),
    );
    return [...used]
      .filter((target) => target !== folder && target in ALLOWED && target !== '.' && floors.get(target)! <= floor)
      .map((target) => `the picture has ${folder} below ${target}, or beside it, and it imports from there`);
  });
}
