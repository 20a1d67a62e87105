import type { OVERVIEW_ROUTES } from '../api/overview.ts';
import type { FoundConversation } from '../app/find/found.ts';
import { readBytes } from '../app/sessions/read/read-bytes.ts';
import type { Handlers, NamesOf, ServerContext } from './context.ts';
import { readSession } from './read-session.ts';
import { directoryOf } from './turns.ts';

/** A whole conversation from afar. */
export const overviewHandlers: Handlers<NamesOf<typeof OVERVIEW_ROUTES>> = {
  async getOutline({ parameters, context, signal }) {
    const { id } = await readSession(context, parameters.id);
    return context.work.run('outline', { reference: id }, { signal });
  },

  async getChanges({ parameters, context, signal }) {
    const found = await readSession(context, parameters.id);
    return context.work.run('changes', { reference: found.id }, { signal, workspace: await placeOf(context, found) });
  },

  async getSteps({ parameters, context, signal }) {
    const { id } = await readSession(context, parameters.id);
    return context.work.run('steps', { reference: id }, { signal });
  },

  async getBytes({ parameters, query: { offset, length = 64 }, context }) {
    const found = await readSession(context, parameters.id);
    const bytes = await readBytes(context.app, found, { offset, length });
    return { offset, bytes: Buffer.from(bytes).toString('base64') };
  },

  async findInSession({ parameters, query, context, signal }) {
    const { id } = await readSession(context, parameters.id);
    return context.work.run('find', { reference: id, text: query.q }, { signal });
  },
};

/** The directory of the session, where this server may work in it: files are compared there. */
async function placeOf({ host }: ServerContext, found: FoundConversation): Promise<string | undefined> {
  const directory = found.kind === 'own' ? await directoryOf(found) : undefined;
  return directory === undefined ? undefined : host.workspaces.resolve(directory).catch(() => undefined);
}
