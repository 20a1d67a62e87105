// `ollm delete`, `ollm restore`: to the trash and back, or removed permanently. A session that another program keeps is
// hidden and shown again.
import { formatAddress, importedId, parseAddress } from '../../../agents/address.ts';
import { checkArguments } from '../../../errors/arguments.ts';
import { isOllmError, OllmError } from '../../../errors/index.ts';
import type { TrashEntry } from '../../../journal/types.ts';
import { firstEvent } from '../../../session/fork.ts';
import { subagentsOf } from '../../../session/subagent-id.ts';
import type { App } from '../../app.ts';
import { ownAgentSessions } from '../../find/agent-sessions.ts';
import { findConversation, foreignAddress, LAST, pickId, textIn } from '../../find/find-session.ts';
import { type Candidates, type FoundConversation, onlyOne, requireWhole } from '../../find/found.ts';
import { foreignTitles, hiddenSessions, hideSession } from '../../list/foreign-notes.ts';
import { forgetSessions } from '../../list/forget-sessions.ts';

/** A session in the trash. */
export interface DeletedSession extends TrashEntry {
  /** The sessions of its agents, which went with it; absent where it began none. */
  readonly agents?: readonly string[] | undefined;
}

/**
 * Moves a session to the trash, or with `purge` removes it permanently; the sessions of its agents go with it.
 *
 * @example
 * const { entry } = await deleteSession(app, '@last');
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_LOCKED
 */
export async function deleteSession(
  app: App,
  reference: string,
  options: { readonly purge?: boolean | undefined } = {},
): Promise<DeletedSession> {
  checkArguments('deleteSession', { app: 'App', reference: 'anything', options: 'object' }, [app, reference, options]);
  const { purge = false } = options;
  const found = await findDeletable(app, reference);
  const id = found.kind === 'own' ? found.id : found.importId;
  if (id === undefined) throw keptElsewhere(found);
  const agents = await ownAgentSessions(app.store, id);
  const trashed = await deleteOne(app, id, purge);
  for (const agent of agents) await deleteOne(app, agent, purge);
  return agents.length === 0 ? trashed : { ...trashed, agents };
}

async function deleteOne(app: App, id: string, purge: boolean): Promise<TrashEntry> {
  const trashed = await app.store.trash(id);
  if (purge) {
    await app.store.purge(trashed.entry);
    await forgetSessions(app, [trashed.id]);
  }
  return trashed;
}

/** What a deletion is about. */
type Deletable =
  | { readonly kind: 'own'; readonly id: string }
  /** A session of another program: it is hidden, and its import, if there is one, is deleted. */
  | {
      readonly kind: 'foreign';
      readonly address: string;
      /** The program and its file; undefined if that is gone. */
      readonly kept: { readonly by: string; readonly path: string } | undefined;
      readonly importId: string | undefined;
    };

/** What `reference` names. @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, USAGE: it names one message */
export async function findDeletable(app: App, reference: string): Promise<Deletable> {
  let found: FoundConversation;
  try {
    found = await findConversation(app, reference);
  } catch (error) {
    // The catalogue remembers it, and no program keeps it.
    if (!isOllmError(error, 'SESSION_NOT_FOUND') || error.data?.vanished !== true) throw error;
    return { kind: 'foreign', address: String(error.data.reference), kept: undefined, importId: undefined };
  }
  requireWhole(found, 'A session is deleted as a whole');
  if (found.kind === 'foreign') {
    const { id: address, agentTitle, source, importId } = found;
    return { kind: 'foreign', address, kept: { by: agentTitle, path: source.path }, importId };
  }
  const { id } = found;
  if (foreignAddress(reference) === undefined) return { kind: 'own', id };
  const { origin } = (await found.read(firstEvent)).data;
  const address = String((origin as { readonly address?: unknown } | undefined)?.address);
  return { kind: 'foreign', address, kept: undefined, importId: id };
}

/**
 * Hides a session of another program, and moves its import to the trash, or with `purge` removes that permanently. The
 * program's own files are not changed. With `purge`, the remembered facts about a session that no program keeps are
 * removed too.
 *
 * @throws OllmError IO_FAILED, JOURNAL_LOCKED, USAGE: there is no import to purge
 */
export async function deleteForeign(
  app: App,
  { address, kept, importId }: Extract<Deletable, { kind: 'foreign' }>,
  { purge = false }: { readonly purge?: boolean | undefined } = {},
): Promise<DeletedSession | undefined> {
  if (purge && importId === undefined && kept !== undefined) {
    throw new OllmError('USAGE', `${address} is not purged: ${kept.by} keeps it, and ollm changes nothing there.`, {
      hint: `Without --purge it is hidden. Its file is ${kept.path}.`,
      data: { address },
    });
  }
  const entry = importId === undefined ? undefined : await deleteSession(app, importId, { purge });
  const { agent, id } = parseAddress(address) ?? {};
  if (!purge || kept !== undefined) await hideSession(app, address, true);
  else if (importId === undefined && agent !== undefined && id !== undefined) {
    await forgetSessions(app, [importedId(agent, id)]);
  }
  return entry;
}

/**
 * Shows a session of another program again that was hidden, and brings its import back from the trash, if it is there.
 * Undefined where `reference` is not the address of one, or the beginning of one.
 *
 * @throws OllmError SESSION_AMBIGUOUS, IO_FAILED
 */
export async function restoreForeign(
  app: App,
  reference: string,
): Promise<{ readonly address: string; readonly importId: string | undefined } | undefined> {
  const typed = foreignAddress(reference);
  if (typed === undefined) return undefined;
  const trashed = new Set((await app.store.listTrash()).map(({ id }) => id));
  const hidden = [...hiddenSessions(app)];
  const text = formatAddress(typed);
  const begun = hidden.filter((each) => each.toLowerCase().startsWith(text.toLowerCase()));
  const candidates: Candidates = { relation: 'hidden sessions begin with', titlesOf: async () => foreignTitles(app) };
  const address =
    hidden.includes(text) || begun.length === 0
      ? hidden.find((each) => each === text)
      : await onlyOne(text, begun, candidates);
  const { agent, id } = (address && parseAddress(address)) || typed;
  const importId = trashed.has(importedId(agent, id)) ? importedId(agent, id) : undefined;
  if (address === undefined && importId === undefined) return undefined;
  if (importId !== undefined && !(await app.store.has(importId))) await app.store.restore(importId);
  if (address !== undefined) await hideSession(app, address, false);
  return { address: address ?? formatAddress(typed), importId };
}

/**
 * Brings the newest deleted session of an id back from the trash, and with it its agents’.
 * `reference`: the id of a trashed session, a unique prefix of one, or @last.
 *
 * @example
 * const { id } = await restoreSession(app, '@last');
 * @throws OllmError TRASH_NOT_FOUND, SESSION_AMBIGUOUS, SESSION_EXISTS
 */
export async function restoreSession(app: App, reference: string): Promise<{ id: string; agents?: string[] }> {
  checkArguments('restoreSession', { app: 'App' }, [app]);
  const { store } = app;
  const text = textIn(reference);
  const ids = [...new Set((await store.listTrash()).map(({ id }) => id))];
  const id = text === LAST ? ids[0] : await pickId(text, ids, TRASHED);
  if (id === undefined) {
    throw new OllmError('TRASH_NOT_FOUND', `The trash holds no session ${JSON.stringify(reference.slice(0, 60))}.`, {
      hint: ids.length === 0 ? 'It is empty.' : `It holds: ${ids.slice(0, 10).join(', ')}.`,
      data: { reference },
    });
  }
  return { id, ...(await restoreWithAgents(store, id)) };
}

/** Agents that were deleted before their session were deleted by themselves, and stay in the trash. */
export async function restoreWithAgents(store: App['store'], id: string): Promise<{ readonly agents?: string[] }> {
  const trash = await store.listTrash();
  const deletedAt = trash.find((entry) => entry.id === id)?.deletedAt ?? '';
  const later = trash.filter((entry) => entry.deletedAt >= deletedAt).map((entry) => entry.id);
  const agents = [...new Set(subagentsOf(id, later))];
  await store.restore(id);
  for (const agent of agents) await store.restore(agent);
  return agents.length === 0 ? {} : { agents };
}

/** A program that asks for a deletion gets one, or an error. */
function keptElsewhere(found: Deletable): OllmError {
  const { address, kept } = found as Extract<Deletable, { kind: 'foreign' }>;
  return new OllmError(
    'USAGE',
    `${address} is not deleted: ${kept?.by ?? 'no program'} keeps it, and ollm changes nothing there.`,
    {
      hint: kept === undefined ? 'It has no import.' : `Its file is ${kept.path}.`,
      data: { address },
    },
  );
}

const TRASHED: Candidates = { relation: 'sessions in the trash begin with', titlesOf: async () => new Map() };
