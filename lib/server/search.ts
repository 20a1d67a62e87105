// Searches over all sessions, and their numbers.
import type { SEARCH_ROUTES } from '../api/search.ts';
import type { Dimension } from '../app/sessions/read/sum-stats.ts';
import { formatCount } from '../display/quantities.ts';
import type { Handlers, NamesOf, ServerContext } from './context.ts';
import { requireProvider, timeIn } from './query.ts';

const DAY_MS = 86_400_000;

/** How far the sync of the start is. */
function notesOf({ isSyncing, sessions, left }: ServerContext['catalog']): readonly string[] {
  if (!isSyncing || (sessions > 0 && left === 0)) return [];
  const read = sessions === 0 ? '' : `: ${formatCount(sessions - left)} of ${formatCount(sessions)} so far`;
  return [`The server is reading all sessions for the search${read}.`];
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
    const found = await context.work.run('search', request, { signal });
    const notes = notesOf(context.catalog);
    const reading = notes.length === 0 ? {} : { isReading: true };
    return { ...found, ...reading, leftOut: [...notes, ...found.leftOut] };
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
    return context.work.run(
      'stats',
      { by: names, day, zone, agent, project, sinceMs, limit, prices: context.app.config.prices },
      { signal },
    );
  },
};
