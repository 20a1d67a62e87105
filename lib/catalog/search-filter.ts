// Which sessions and messages a search looks at.
import type { DatabaseSync } from 'node:sqlite';
import { OWN_AGENT } from './catalog.ts';
import { holdsAll } from './hit-excerpt.ts';
import { idBefore } from './message-id.ts';
import { IN_ROOTS, rootsOf } from './project-roots.ts';
import { matchExpression, phraseOf } from './query.ts';
import { type ImportedId, NO_REPETITIONS, type Repetitions, repeatedHits } from './repeated-hits.ts';
import type { Narrowing, SearchLimits, SearchRequest, WantedProject } from './search-request.ts';
import { type SearchRow, textsIn } from './search-rows.ts';
import type { TextKind } from './session-texts.ts';

interface SearchFilter {
  /** No message with a smaller id passes. */
  readonly since: number;
  readonly sinceMs: number;
  /** Numbers of the sessions; undefined for all. */
  readonly sessions: ReadonlySet<number> | undefined;
  /** Whether sessions are asked for, and not messages of one role or tool. */
  readonly isOfSessions: boolean;
  /** Whether something narrows the search. */
  readonly isNarrow: boolean;
  /** Conditions on a row of `messages AS m` in SQL: the kinds, then each filter. `passes` is asked about the rest. */
  readonly conditions: readonly Condition[];
  /** Whether a row of a message is wanted. */
  passes(row: SearchRow): boolean;
}

interface Condition {
  readonly sql: string;
  readonly values: readonly string[];
}

/** What each way to search needs. */
export interface SearchParts {
  readonly database: DatabaseSync;
  readonly filter: SearchFilter;
  readonly repetitions: Repetitions;
  /** The text of a message. */
  textOf(row: SearchRow): string;
}

const DEFAULT_KINDS: readonly TextKind[] = ['text', 'call', 'output'];
/** A system prompt is one of the injected messages. */
const ALL_SAID: readonly TextKind[] = [...DEFAULT_KINDS, 'injected'];

/** Texts of programs in the role of the user are found with those of the system. */
const ROLE = "iif(m.kind = 'injected', 'system', m.role)";

const OF_PROJECT = `WITH ${rootsOf('?1', '?2')} SELECT number FROM sessions WHERE ${IN_ROOTS}`;
const OF_AGENT = 'SELECT number FROM sessions WHERE agent = ?';
const IDS = 'SELECT id FROM sessions WHERE agent = ?';
const LIKE_IMPORTS = "SELECT number, id FROM sessions WHERE agent = ?1 AND substr(id, 1, length(?2) + 1) = ?2 || '-'";
const NAMED = 'SELECT rowid AS number FROM names WHERE names MATCH ?';
const ONE_SESSION = 'SELECT number FROM sessions WHERE agent = ? AND id = ?';
const CALLING = `
  SELECT DISTINCT m.session AS number FROM words JOIN messages m ON m.id = words.rowid
  WHERE words MATCH ? AND m.kind = 'call'`;

export function searchParts(database: DatabaseSync, request: SearchRequest, limits: SearchLimits): SearchParts {
  return {
    database,
    filter: filterOf(database, request, limits.importedId),
    repetitions: repetitionsOf(database, request, limits),
    textOf: textsIn(database),
  };
}

/** Imports and copies are searched by themselves where the sessions of one program are asked for. */
function repetitionsOf(database: DatabaseSync, request: SearchRequest, { importedId }: SearchLimits): Repetitions {
  const { agent = request.within?.agents } = request;
  return agent !== undefined || importedId === undefined
    ? NO_REPETITIONS
    : repeatedHits(database, OWN_AGENT, { importedId, copies: request.copies, textOf: textsIn(database) });
}

function filterOf(database: DatabaseSync, request: SearchRequest, importedId: ImportedId | undefined): SearchFilter {
  const narrowings = [narrowingOf(request), request.within ?? {}];
  const { without, userTitles, lastImports } = request;
  const sinceMs = Math.max(0, ...narrowings.map((each) => each.sinceMs ?? 0));
  const roles = narrowings.flatMap((each) => (each.roles === undefined ? [] : [new Set<unknown>(each.roles)]));
  const tools = narrowings.flatMap((each) => (each.tools === undefined ? [] : [isOneOf(each.tools)]));
  const { kinds = roles.some((each) => each.has('system')) ? ALL_SAID : DEFAULT_KINDS } = request;
  const sets = narrowings.flatMap((each) => setsOf(database, each, { userTitles, lastImports, importedId }));
  const sessions = inAll(sets);
  const conditions = [
    oneOf('m.kind', kinds),
    ...roles.map((each) => oneOf(ROLE, each)),
    ...narrowings.flatMap((each) => (each.tools === undefined ? [] : toolCondition(each.tools))),
    ...(sessions === undefined ? [] : [oneOf('m.session', sessions)]),
  ];
  const isOfSessions = roles.length === 0 && tools.length === 0 && request.kinds === undefined;
  return {
    since: idBefore(sinceMs),
    sinceMs,
    sessions,
    isOfSessions,
    conditions,
    isNarrow: !isOfSessions || sessions !== undefined || sinceMs > 0,
    passes: ({ session, role, kind, at, tool, agent, name, parent }) =>
      kinds.includes(kind as TextKind) &&
      roles.every((each) => each.has(kind === 'injected' ? 'system' : role)) &&
      tools.every((isWanted) => typeof tool === 'string' && isWanted(tool)) &&
      Number(at) >= sinceMs &&
      (sessions === undefined || sessions.has(Number(session))) &&
      !isAmong(without, { agent, id: name, parent }),
  };
}

/**
 * Whether a session is left out, or a subagent of one that is. The parent of a session of ollm is that of a fork, which
 * stays.
 */
export function isAmong(
  without: ReadonlySet<string> | undefined,
  { agent, id, parent }: { readonly agent?: unknown; readonly id?: unknown; readonly parent?: unknown },
): boolean {
  if (without === undefined) return false;
  return without.has(`${agent}:${id}`) || (agent !== OWN_AGENT && without.has(`${agent}:${parent}`));
}

function inAll([first, ...others]: readonly Set<number>[]): ReadonlySet<number> | undefined {
  return first && new Set([...first].filter((number) => others.every((each) => each.has(number))));
}

function narrowingOf({
  agent,
  project,
  worktrees,
  remote,
  role,
  tool,
  path,
  title,
  sinceMs,
}: SearchRequest): Narrowing {
  const only = <Value>(value: Value | undefined) => (value === undefined ? undefined : [value]);
  return {
    agents: only(agent),
    projects: project === undefined ? undefined : [{ directory: project, worktrees, remote }],
    roles: only(role),
    tools: only(tool),
    paths: only(path),
    titles: only(title),
    sinceMs,
  };
}

/** A set of sessions for each member that narrows them. */
function setsOf(
  database: DatabaseSync,
  { agents, projects, paths, titles }: Narrowing,
  {
    userTitles,
    lastImports,
    importedId,
  }: Pick<SearchRequest, 'userTitles' | 'lastImports'> & { readonly importedId: ImportedId | undefined },
): Set<number>[] {
  const numbers = (sql: string, ...values: (string | null)[]) =>
    database
      .prepare(sql)
      .all(...values)
      .map(({ number }) => Number(number));
  const wantedBy = <Value>(values: readonly Value[] | undefined, find: (value: Value) => number[]) =>
    values === undefined ? [] : [new Set(values.flatMap(find))];
  const inProject = (wanted: WantedProject) =>
    'name' in wanted
      ? numbers(NAMED, `project : ${phrase(wanted.name)}`)
      : numbers(OF_PROJECT, JSON.stringify([wanted.directory, ...(wanted.worktrees ?? [])]), wanted.remote ?? null);
  const importsOf = (agent: string) =>
    lastImports === undefined || importedId === undefined
      ? []
      : importsWithoutSource(database, agent, importedId).flatMap(({ number, id }) =>
          lastImports.has(id) ? [number] : [],
        );
  const calledByUser = (title: string) =>
    [...(userTitles ?? [])]
      .filter(([, each]) => holdsAll(each, [phraseOf(title)]))
      .flatMap(([address]) => {
        const colon = address.indexOf(':');
        return numbers(ONE_SESSION, address.slice(0, colon), address.slice(colon + 1));
      });
  return [
    ...wantedBy(agents, (agent) => [...numbers(OF_AGENT, agent), ...importsOf(agent)]),
    ...wantedBy(projects, inProject),
    ...wantedBy(titles, (title) => [...numbers(NAMED, `{title prompt} : ${phrase(title)}`), ...calledByUser(title)]),
    ...wantedBy(paths, (path) => numbers(CALLING, phrase(path))),
  ];
}

/** Own journals that have the name of an import of this program, and no session of it that they could be from. */
export function importsWithoutSource(
  database: DatabaseSync,
  agent: string,
  importedId: ImportedId,
): readonly { readonly number: number; readonly id: string }[] {
  if (agent === OWN_AGENT) return [];
  const own = database.prepare(LIKE_IMPORTS).all(OWN_AGENT, agent);
  if (own.length === 0) return [];
  const sources = new Set(
    database
      .prepare(IDS)
      .all(agent)
      .map(({ id }) => importedId(agent, String(id))),
  );
  return own.flatMap(({ number, id }) => (sources.has(String(id)) ? [] : [{ number: Number(number), id: String(id) }]));
}

function phrase(text: string): string {
  return matchExpression({ terms: [phraseOf(text)], without: [] });
}

function oneOf(column: string, values: Iterable<unknown>): Condition {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify([...values])] };
}

/** SQLite does not fold letters outside ASCII: a name with such letters gives no condition. */
function toolCondition(names: readonly string[]): readonly Condition[] {
  if (names.some((name) => !/^[\w.:/ -]+\*?$/.test(name))) return [];
  const values = names.map((name) => name.toLowerCase());
  return [{ sql: `(${names.map(() => 'lower(m.tool) GLOB ?').join(' OR ')})`, values }];
}

function isOneOf(names: readonly string[]): (tool: string) => boolean {
  const folded = names.map((name) => name.toLowerCase());
  return (tool) =>
    folded.some((name) =>
      name.endsWith('*') ? tool.toLowerCase().startsWith(name.slice(0, -1)) : tool.toLowerCase() === name,
    );
}
