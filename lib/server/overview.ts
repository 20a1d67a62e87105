import type { OVERVIEW_ROUTES } from '../api/overview.ts';
import { exactSession } from '../app/sessions/find/exact-session.ts';
import type { Handlers, NamesOf } from './context.ts';

/** A whole conversation from afar. */
export const overviewHandlers: Handlers<NamesOf<typeof OVERVIEW_ROUTES>> = {
  async getOutline({ parameters, context, signal }) {
    const { id } = await exactSession(context.app, parameters.id);
    return context.work.run('outline', { reference: id }, { signal });
  },

  async findInSession({ parameters, query, context, signal }) {
    const { id } = await exactSession(context.app, parameters.id);
    return context.work.run('find', { reference: id, text: query.q }, { signal });
  },
};
