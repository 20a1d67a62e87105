// `ollm delete`, `ollm restore`: to the trash and back, or removed permanently.
import { OllmError } from '../../../errors/index.ts';
import type { TrashEntry } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import { forgetSessions } from '../../list/forget-sessions.ts';
import { findConversation, LAST, pickId } from '../find/find-session.ts';
import type { Candidates } from '../find/found.ts';

/**
 * Moves a session to the trash, or with `purge` removes it permanently.
 *
 * @example
 * const { entry } = await deleteSession(app, '@last');
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_LOCKED
 */
export async function deleteSession(
  app: App,
  reference: string,
  { purge = false }: { readonly purge?: boolean | undefined } = {},
): Promise<TrashEntry> {
  const trashed = await app.store.trash(await findDeletable(app, reference));
  if (purge) {
    await app.store.purge(trashed.entry);
    await forgetSessions(app, [trashed.id]);
  }
  return trashed;
}

/** The id of the session to delete. @throws OllmError USAGE: a session that another program keeps is not deleted */
export async function findDeletable(app: App, reference: string): Promise<string> {
  const found = await findConversation(app, reference);
  if (found.kind === 'own') return found.id;
  if (found.importId !== undefined) return found.importId;
  throw new OllmError(
    'USAGE',
    `${found.id} is not deleted: ${found.agentTitle} keeps it, and ollm changes nothing there.`,
    {
      hint: `Its file is ${found.source.path}.`,
      data: { address: found.id },
    },
  );
}

/**
 * Brings the newest deleted session of an id back from the trash.
 * `reference`: the id of a trashed session, a unique prefix of one, or @last.
 *
 * @example
 * const { id } = await restoreSession(app, '@last');
 * @throws OllmError TRASH_NOT_FOUND, SESSION_AMBIGUOUS, SESSION_EXISTS
 */
export async function restoreSession({ store }: App, reference: string): Promise<{ id: string }> {
  const text = reference.trim();
  const ids = [...new Set((await store.listTrash()).map(({ id }) => id))];
  const id = text === LAST ? ids[0] : await pickId(text, ids, TRASHED);
  if (id === undefined) {
    throw new OllmError('TRASH_NOT_FOUND', `The trash holds no session ${JSON.stringify(reference.slice(0, 60))}.`, {
      hint: ids.length === 0 ? 'It is empty.' : `It holds: ${ids.slice(0, 10).join(', ')}.`,
      data: { reference },
    });
  }
  await store.restore(id);
  return { id };
}

const TRASHED: Candidates = { relation: 'sessions in the trash begin with', titlesOf: async () => new Map() };
