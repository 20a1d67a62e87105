// `ollm search`: messages of all sessions. The sessions of this store that have changed are brought into the catalogue
// first, as far as that takes a moment; the rest is left to `ollm sync`, and the answer says so.
import { formatAddress, importedId } from '../../../agents/address.ts';
import { AGENT_NAMES, isAgentName, loadAgent } from '../../../agents/registry.ts';
import { OWN_AGENT } from '../../../catalog/catalog.ts';
import { type SearchHit, type SearchRequest, search } from '../../../catalog/search.ts';
import { OllmError } from '../../../errors/index.ts';
import { hasSource } from '../../../hub/find-sources.ts';
import type { App } from '../../app.ts';
import { foreignPorts } from '../../foreign-ports.ts';
import { remoteOfRoot } from '../../git-state.ts';
import { foreignTitles, hiddenSessions } from '../../list/foreign-notes.ts';
import { syncSessions, unusableCatalog } from '../import/sync-sessions.ts';

export type { SearchHit, SearchRequest } from '../../../catalog/search.ts';

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** There are more hits than were asked for. */
  readonly isCut: boolean;
  /** What was not searched, one sentence each. */
  readonly leftOut: readonly string[];
}

interface SearchingOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long sessions that have changed are read before the search. */
  readonly syncMs?: number | undefined;
}

const SYNC_MS = 1_000;
const ANY_OTHER = 'SELECT 1 FROM sessions WHERE agent <> ? LIMIT 1';

/**
 * @example
 * const { hits } = await searchSessions(app, { text: '"connection reset" -test', role: 'user' });
 * @throws OllmError USAGE (the request cannot be understood), IO_FAILED (the catalogue cannot be used)
 */
export async function searchSessions(
  app: App,
  request: SearchRequest,
  { signal, syncMs = SYNC_MS }: SearchingOptions = {},
): Promise<SearchAnswer> {
  requireAgent(request.agent);
  const { project } = request;
  const remote = project === undefined ? undefined : remoteOfRoot(app.fileSystem, project);
  const hidden = hiddenSessions(app);
  const asked = { ...request, remote, without: hidden.size === 0 ? undefined : hidden };
  const ask = () => app.catalog.ask((database) => search(database, asked, { clock: app.clock, importedId }));
  let synced = await syncSessions(app, { signal, budgetMs: syncMs, ownOnly: true });
  let outcome = await ask();
  if (outcome.kind === 'refused') {
    // Damage shows where it is read: the next write makes the catalogue again.
    synced = await syncSessions(app, { signal, budgetMs: syncMs, ownOnly: true });
    outcome = await ask();
  }
  const notes: string[] = [];
  if (synced.kind === 'refused') notes.push(`The catalogue ${synced.reason}: what is new in it is missing here.`);
  if (synced.kind === 'busy')
    notes.push('Another process brings the catalogue up to date: what is new may be missing.');
  if (synced.kind === 'done' && synced.report.left > 0) {
    notes.push(`${synced.report.left} sessions have changed and are not indexed yet: run "ollm sync".`);
  }
  if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
  if (outcome.kind === 'absent') throw unusableCatalog(app, synced.kind === 'refused' ? synced.reason : 'is not there');
  const { hits, isCut, leftOut } = outcome.value;
  if (hits.length > 0 && (await isOwnAlone(app, request))) {
    notes.push('Sessions of other programs are not indexed yet: "ollm sync" brings them in.');
  }
  return { hits: withTitles(hits, foreignTitles(app)), isCut, leftOut: [...leftOut, ...notes] };
}

function withTitles(hits: readonly SearchHit[], titles: ReadonlyMap<string, string>): readonly SearchHit[] {
  if (titles.size === 0) return hits;
  return hits.map((hit) => {
    const title = titles.get(formatAddress({ agent: hit.agent, id: hit.id }));
    return title === undefined ? hit : { ...hit, title };
  });
}

/** Whether other programs have sessions that were asked for, and the catalogue has never seen one. */
async function isOwnAlone(app: App, { agent }: SearchRequest): Promise<boolean> {
  const { retention, catalog } = app.config;
  if (agent === OWN_AGENT || (retention.encryptAtRest && !catalog.indexEncrypted)) return false;
  const other = await app.catalog.ask((database) => database.prepare(ANY_OTHER).get(OWN_AGENT));
  if (other.kind !== 'done' || other.value !== undefined) return false;
  for (const name of AGENT_NAMES) {
    if (hasSource(await loadAgent(name), foreignPorts(app))) return true;
  }
  return false;
}

/** @throws OllmError USAGE */
function requireAgent(name: string | undefined): void {
  if (name === undefined || name === OWN_AGENT || isAgentName(name)) return;
  throw new OllmError('USAGE', `“${name}” is not an agent.`, {
    hint: `There are: ${[OWN_AGENT, ...AGENT_NAMES].join(', ')}.`,
  });
}
