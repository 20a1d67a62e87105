// `ollm search`: messages of all sessions. The sessions of this store that have changed are brought into the catalogue
// first, as far as that takes a moment; the rest is left to `ollm sync`, and the answer says so.
import { type Address, formatAddress, importedId, parseAddress } from '../../../agents/address.ts';
import { OWN_AGENT } from '../../../catalog/catalog.ts';
import { hasWords } from '../../../catalog/prepared-text.ts';
import { parseQuery } from '../../../catalog/query.ts';
import { search } from '../../../catalog/search.ts';
import { importsWithoutSource } from '../../../catalog/search-filter.ts';
import type { SearchHit, SearchRequest, SearchResult } from '../../../catalog/search-request.ts';
import { OllmError } from '../../../errors/index.ts';
import { type SessionKeeper, sessionKeeper, sessionKeepers } from '../../../hub/session-keepers.ts';
import { NOTHING, type SyncOutcome } from '../../../hub/sync.ts';
import { systemSleep } from '../../../platform/waiting.ts';
import { readQuery } from '../../../ranking/words.ts';
import { sourceAddress } from '../../../session/is-import.ts';
import type { App } from '../../app.ts';
import { requireAgent } from '../../find/require-agent.ts';
import { hasOwnSessions } from '../../import/has-own-sessions.ts';
import { NONE_INDEXED, NOT_ALL_INDEXED } from '../../import/not-indexed.ts';
import { missingAfter, requireAnswer, syncSessions, wasWhole } from '../../import/sync-sessions.ts';
import { foreignTitles, hiddenSessions } from '../../list/foreign-notes.ts';
import { handedCopies } from '../../list/handover-copies.ts';
import { mayBeImport } from '../../list/may-be-import.ts';
import { reachOfProject } from '../../repository/project-reach.ts';
import { foreignPorts } from '../../start/foreign-ports.ts';
import { readSearchLine } from './search-line.ts';

export type { SearchHit, SearchRequest } from '../../../catalog/search-request.ts';

/** Sessions that are not indexed yet are among `leftOut`. */
export type SearchAnswer = SearchResult;

interface SearchingOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long sessions that have changed are read before the search. */
  readonly syncMs?: number | undefined;
  /** How long sessions of other programs are read where nothing has all of the words. Default: not at all. */
  readonly syncOthersMs?: number | undefined;
  /**
   * How long the index of passages is brought up to date where a question finds little. Default: a second; 0: passages
   * are not looked for.
   */
  readonly passagesMs?: number | undefined;
}

const SYNC_MS = 1_000;
const BUSY_PAUSE_MS = 50;
/** With fewer hits than these, passages follow. */
const FEW_HITS = 10;
/** A shorter one is found as well by its words in whole messages. */
const LONG_QUESTION = 4;
const FILTERS_BY_WORDS = ['tool', 'path', 'title'] as const;
const ONE = 'SELECT 1 FROM sessions WHERE agent = ? AND id = ?';
const ANY_OTHER = 'SELECT 1 FROM sessions WHERE agent <> ? LIMIT 1';

/**
 * @example
 * const { hits } = await searchSessions(app, { text: '"connection reset" -test agent:claude', role: 'user' });
 * @throws OllmError USAGE (the request cannot be understood), IO_FAILED (the catalogue cannot be used)
 */
export async function searchSessions(
  app: App,
  request: SearchRequest,
  { signal, syncMs = SYNC_MS, syncOthersMs, passagesMs = SYNC_MS }: SearchingOptions = {},
): Promise<SearchAnswer> {
  const { project, agent } = request;
  if (agent !== undefined) requireAgent(agent);
  for (const name of FILTERS_BY_WORDS) requireWords(name, request[name]);
  const reach = project === undefined ? undefined : reachOfProject(app.fileSystem, project);
  const hidden = hiddenSessions(app);
  const userTitles = foreignTitles(app);
  const line: Pick<SearchRequest, 'text' | 'within'> = request.isRegex ? request : readSearchLine(app, request.text);
  const lost = new LostSources(app);
  const wanted: SearchRequest = {
    ...request,
    ...line,
    typed: request.text,
    worktrees: reach?.roots,
    remote: reach?.remote,
    userTitles,
    copies: handedCopies(app),
    without: hidden.size === 0 ? undefined : hidden,
  };
  const agents = [agent ?? [], line.within?.agents ?? []].flat();
  using _kept = app.catalog.keepOpen();
  let asked = wanted;
  const ask = async () => {
    // Before the search: a limit must not cut off hits for sessions that only have the name of an import.
    if (agents.length > 0) asked = { ...wanted, lastImports: await lost.importsOf(agents) };
    return app.catalog.ask((database) => search(database, asked, { clock: app.clock, importedId }));
  };
  let synced: SyncOutcome = (await hasOwnSessions(app))
    ? { kind: 'done', report: NOTHING }
    : await syncSessions(app, { signal, budgetMs: syncMs, only: 'own' });
  let outcome = await ask();
  if (outcome.kind === 'refused') {
    // Damage shows where it is read: the next write makes the catalogue again.
    synced = await syncSessions(app, { signal, budgetMs: syncMs, only: 'own' });
    outcome = await ask();
  }
  const hasNoHit = () => outcome.kind === 'done' && !outcome.value.hasAllWords;
  // A process that syncs now, such as a server at its start, may bring in the only hit.
  for (let waitedMs = 0; synced.kind === 'busy' && hasNoHit() && waitedMs < syncMs; waitedMs += BUSY_PAUSE_MS) {
    await systemSleep(BUSY_PAUSE_MS, signal);
    synced = await syncSessions(app, { signal, budgetMs: syncMs, only: 'own' });
    if (synced.kind !== 'busy') outcome = await ask();
  }
  let hasLooked = synced.kind === 'busy';
  if (hasNoHit() && syncOthersMs !== undefined) {
    hasLooked = true;
    synced = await syncSessions(app, { signal, budgetMs: syncOthersMs, only: 'others' });
    if (synced.kind !== 'done' || synced.report.read + synced.report.vanished > 0) outcome = await ask();
  }
  const isFew = outcome.kind === 'done' && outcome.value.hits.length < Math.min(FEW_HITS, request.limit ?? FEW_HITS);
  const question =
    isFew && passagesMs > 0 && !request.isExact && !request.isRegex ? await questionIn(app, asked.text) : undefined;
  if (outcome.kind === 'done' && question !== undefined) {
    const { nearPassages } = await import('./near-passages.ts');
    const { hits: found } = outcome.value;
    const near = await nearPassages(app, asked, { question, found, signal, updateMs: passagesMs });
    outcome = { ...outcome, value: { ...outcome.value, hits: [...found, ...near] } };
  }
  const { hits, leftOut, hasAllWords: _, ...found } = requireAnswer(app, outcome, synced);
  const notes = [...missingAfter(synced)];
  if (hits.length > 0 && !hasLooked) notes.push(...(await notIndexed(app, request)));
  const named = agents.includes(OWN_AGENT) ? hits : await lost.named(hits);
  return { ...found, hits: withTitles(named, userTitles), leftOut: [...leftOut, ...notes] };
}

/** In the line of a search such a value is text; an option without one, as of an empty variable, would find nothing. */
function requireWords(name: (typeof FILTERS_BY_WORDS)[number], value: string | undefined): void {
  if (value === undefined || hasWords(value)) return;
  throw new OllmError('USAGE', `A search by ${name} needs a word of it, and “${value}” has none.`, {
    hint: `Leave ${name} out to search in all sessions.`,
  });
}

/**
 * The words by which passages are found. Undefined if the search has only phrases, or only a few words and no model for
 * vectors is named.
 */
async function questionIn(app: App, text: string): Promise<string | undefined> {
  if (text.trim() === '') return undefined;
  const { terms } = parseQuery(text);
  if (terms.every(({ isPhrase }) => isPhrase)) return undefined;
  const question = terms.map((term) => term.text).join(' ');
  const words = readQuery(question).terms.length;
  if (words >= LONG_QUESTION) return question;
  return words > 0 && (await app.embeddings()) !== undefined ? question : undefined;
}

/**
 * Imports of sessions that the catalogue does not know: each is the last that is left of its session, or the session is
 * a new run of an agent.
 */
class LostSources {
  readonly #app: App;
  readonly #keepers = new Map<string, SessionKeeper>();
  /** By the id of the import; undefined for a session of another kind. */
  readonly #addresses = new Map<string, Address | undefined>();

  constructor(app: App) {
    this.#app = app;
  }

  /** The ids of those of these programs. */
  async importsOf(agents: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.#app.catalog.ask((database) =>
      agents.flatMap((agent) => importsWithoutSource(database, agent, importedId)),
    );
    const imports = new Set<string>();
    for (const { id } of found.kind === 'done' ? found.value : []) {
      if (agents.includes((await this.#of(id))?.agent ?? '')) imports.add(id);
    }
    return imports;
  }

  /** Hits in them as hits of the session that each is of. */
  async named(hits: readonly SearchHit[]): Promise<readonly SearchHit[]> {
    const named: SearchHit[] = [];
    for (const hit of hits) {
      const { id, key } = hit;
      const source = hit.agent === OWN_AGENT && mayBeImport(id) ? await this.#of(id) : undefined;
      if (source === undefined) {
        named.push(hit);
        continue;
      }
      const address = formatAddress({ ...source, record: key });
      const gone = !(await this.#isThere(source));
      named.push({ ...hit, agent: source.agent, id: source.id, address, gone, importId: id });
    }
    return named;
  }

  async #isThere({ agent, id }: Address): Promise<boolean> {
    const keeper = this.#keepers.get(agent) ?? (await sessionKeeper(foreignPorts(this.#app), agent));
    this.#keepers.set(agent, keeper);
    return keeper.sources().some((source) => source.id === id);
  }

  async #of(id: string): Promise<Address | undefined> {
    if (!this.#addresses.has(id)) this.#addresses.set(id, await this.#read(id));
    return this.#addresses.get(id);
  }

  async #read(id: string): Promise<Address | undefined> {
    const { store, catalog } = this.#app;
    const source = parseAddress((await sourceAddress(store, id)) ?? '');
    if (source === undefined) return undefined;
    const known = await catalog.ask((database) => database.prepare(ONE).get(source.agent, source.id));
    return known.kind === 'done' && known.value !== undefined ? undefined : source;
  }
}

function withTitles(hits: readonly SearchHit[], titles: ReadonlyMap<string, string>): readonly SearchHit[] {
  if (titles.size === 0) return hits;
  return hits.map((hit) => {
    const title = titles.get(formatAddress({ agent: hit.agent, id: hit.id }));
    return title === undefined ? hit : { ...hit, title };
  });
}

/** A sentence where other programs have sessions that were asked for, and the catalogue never had all of them. */
async function notIndexed(app: App, { agent }: SearchRequest): Promise<readonly string[]> {
  const { retention, catalog } = app.config;
  if (agent === OWN_AGENT || (retention.encryptAtRest && !catalog.indexEncrypted)) return [];
  const known = await app.catalog.ask((database) => ({
    isWhole: wasWhole(database),
    hasSome: database.prepare(ANY_OTHER).get(OWN_AGENT) !== undefined,
  }));
  if (known.kind !== 'done' || known.value.isWhole) return [];
  if (known.value.hasSome) return [NOT_ALL_INDEXED];
  for await (const keeper of sessionKeepers(foreignPorts(app))) if (keeper.hasAny()) return [NONE_INDEXED];
  return [];
}
