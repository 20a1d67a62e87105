// Over all sessions: what was said, and what it cost.
import type { SEARCH_ROUTES } from '../api/search.ts';
import type { Handlers, NamesOf } from './context.ts';
import { requireProvider, timeIn } from './query.ts';

const DAY_MS = 86_400_000;

export const searchHandlers: Handlers<NamesOf<typeof SEARCH_ROUTES>> = {
  async search({ query, context, signal }) {
    const { q: text, provider: agent, project, role, since, regex: isRegex, limit } = query;
    requireProvider(agent);
    const sinceMs = since === undefined ? undefined : timeIn('since', since);
    return context.work.run('search', { text, agent, project, role, sinceMs, isRegex, limit }, { signal });
  },

  async recall({ query, context, signal }) {
    const { q: text, project, only, limit } = query;
    const kind = only === undefined ? undefined : only === 'files' ? 'file' : 'session';
    // Its files are read in: a directory in which this server may work.
    const directory = project === undefined ? undefined : await context.host.workspaces.resolve(project);
    return context.work.run('recall', { text, limit, scope: { project: directory, kind } }, { signal });
  },

  async getCosts({ query: { days = 30 }, context, signal }) {
    return context.work.run('costs', { sinceMs: context.app.clock.now() - days * DAY_MS }, { signal });
  },
};
