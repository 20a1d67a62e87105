// Searches over all sessions, and their numbers.
import type { SEARCH_ROUTES } from '../api/search.ts';
import { NONE_INDEXED, NOT_ALL_INDEXED, SYNCED_ELSEWHERE } from '../app/import/not-indexed.ts';
import type { Dimension } from '../app/sessions/read/sum-stats.ts';
import { formatCount } from '../display/quantities.ts';
import type { Handlers, NamesOf, ServerContext } from './context.ts';
import { requireProvider, timeIn } from './query.ts';

const DAY_MS = 86_400_000;

/** Sentences about the same sync. */
const SAID_BY_IT: ReadonlySet<string> = new Set([NONE_INDEXED, NOT_ALL_INDEXED, SYNCED_ELSEWHERE]);

/** While the sync of the start runs, the answer says how far it is: it is the process that the catalogue waits for. */
function whileReading<Answer extends { readonly leftOut: readonly string[] }>(
  { isSyncing, sessions, left }: ServerContext['catalog'],
  answer: Answer,
): Answer & { readonly isReading?: true } {
  if (!isSyncing || (sessions > 0 && left === 0)) return answer;
  const read = sessions === 0 ? '' : `: ${formatCount(sessions - left)} of ${formatCount(sessions)} so far`;
  const others = answer.leftOut.filter((sentence) => !SAID_BY_IT.has(sentence));
  return {
    ...answer,
    isReading: true,
    leftOut: [`The server is reading all sessions for the search${read}.`, ...others],
  };
}

export const searchHandlers: Handlers<NamesOf<typeof SEARCH_ROUTES>> = {
  async search({ query, context, signal }) {
    const { q: text, provider: agent, project, role, tool, path, title, since, limit, counted } = query;
    requireProvider(agent);
    const sinceMs = since === undefined ? undefined : timeIn('since', since);
    const request = {
      text,
      agent,
      project,
      role,
      tool,
      path,
      title,
      sinceMs,
      isRegex: query.regex,
      isExact: query.exact,
      isCounted: counted,
      limit,
    };
    return whileReading(context.catalog, await context.work.run('search', request, { signal }));
  },

  async recall({ query, context, signal }) {
    const { q: text, project, only, limit } = query;
    const kind = only === undefined ? undefined : only === 'files' ? 'file' : 'session';
    // The files of this directory are indexed: the server may work in it.
    const directory = project === undefined ? undefined : await context.host.workspaces.resolve(project);
    return context.work.run('recall', { text, limit, scope: { project: directory, kind } }, { signal });
  },

  async getStats({ query, context, signal }) {
    const { by = 'day', days = 30, day, zone, provider: agent, project, limit } = query;
    requireProvider(agent);
    const names = by.split(',') as Dimension[];
    // The day began at most fourteen hours earlier than that of UTC.
    const sinceMs = day === undefined ? context.app.clock.now() - days * DAY_MS : Date.parse(day) - DAY_MS;
    const { prices } = context.app.config;
    const request = { by: names, day, zone, agent, project, sinceMs, limit, prices };
    return whileReading(context.catalog, await context.work.run('stats', request, { signal }));
  },
};
