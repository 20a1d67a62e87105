import type { OVERVIEW_ROUTES } from '../api/overview.ts';
import { exactSession } from '../app/sessions/find/exact-session.ts';
import { readBytes } from '../app/sessions/read/read-bytes.ts';
import type { Handlers, NamesOf } from './context.ts';

/** A whole conversation from afar. */
export const overviewHandlers: Handlers<NamesOf<typeof OVERVIEW_ROUTES>> = {
  async getOutline({ parameters, context, signal }) {
    const { id } = await exactSession(context.app, parameters.id);
    return context.work.run('outline', { reference: id }, { signal });
  },

  async getBytes({ parameters, query: { offset, length = 64 }, context: { app } }) {
    const found = await exactSession(app, parameters.id);
    const bytes = await readBytes(app, found, { offset, length });
    return { offset, bytes: Buffer.from(bytes).toString('base64') };
  },

  async findInSession({ parameters, query, context, signal }) {
    const { id } = await exactSession(context.app, parameters.id);
    return context.work.run('find', { reference: id, text: query.q }, { signal });
  },
};
