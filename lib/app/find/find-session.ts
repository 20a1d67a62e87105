// Which session the user means: an id, a unique prefix of one, a title, @last, or an address. The only place in which
// typed text becomes a session; any other text never becomes a path.
import { type Address, parseAddress } from '../../agents/address.ts';
import { AGENT_NAMES, isAgentName } from '../../agents/registry.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { nearest } from '../../config/nearest.ts';
import { checkArguments } from '../../errors/arguments.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import { isObject } from '../../platform/json.ts';
import { nameOf } from '../../projections/summary.ts';
import { isImport } from '../../session/is-import.ts';
import { subagentsIn } from '../../session/subagent-id.ts';
import type { App } from '../app.ts';
import { ownIds } from '../list/bare-sessions.ts';
import { listSessions, type SessionRow } from '../list/list-sessions.ts';
import { type Candidates, type FoundConversation, type FoundSession, onlyOne, opening } from './found.ts';
import { openForReading } from './open-for-reading.ts';
import { isBareSession, readOlderForm } from './upgrade-session.ts';

const ARCHIVED = /^(?:archive\/)?(([^./]+)\.\d{8}-\d{6}(?:\.[a-z0-9-]+)?\.jsonl)$/;
export const LAST = '@last';
const MAX_REFERENCE_LENGTH = 200;
/** What a title may hold and a path must not. */
const HOSTILE = /[\p{Cc}/\\]|^\.+$|%2e|%2f/iu;

/**
 * The session of ollm that `reference` names: an id, a unique prefix of one, a title, `@last`, or the address of an
 * imported session of another program. `current`: the open session, which `@last` does not mean. A session of the older
 * form can be read through `app.store` afterwards.
 *
 * @example
 * const { id, read } = await findSession(app, '550e84');
 * const { events } = await read((reader) => reader.verify());
 * @throws OllmError SESSION_ID_INVALID, SESSION_NOT_FOUND (with near matches), SESSION_AMBIGUOUS (with the candidates),
 * USAGE (a session of another program has no journal), JOURNAL_DAMAGED (a session of the older form cannot be read)
 */
export async function findSession(
  app: App,
  reference: string,
  options: { readonly current?: string } = {},
): Promise<FoundSession> {
  const address = foreignAddress(reference);
  if (address === undefined) return findOwn(app, reference, options);
  const { findForeign, withoutChecksums } = await import('./find-foreign.ts');
  const places = await findForeign(app, address);
  if (places.importId === undefined) throw withoutChecksums(places);
  return ownSession(app, places.importId, address.record);
}

/**
 * Finds any conversation for reading: an address names a session of another program. It is read from that program's own
 * files, else from its import. `imported`: only from its import.
 *
 * @example
 * const { read } = await findConversation(app, 'claude:5f3c');
 * const { summary } = await read((reader) => describeConversation(reader));
 * @throws OllmError as `findSession`, but for sessions without a journal
 */
export async function findConversation(
  app: App,
  reference: string,
  { imported = false, archived = false }: ReadingOptions = {},
): Promise<FoundConversation> {
  const earlier = archived ? archivedIn(reference) : undefined;
  if (earlier !== undefined) return archivedSession(app, earlier);
  const address = foreignAddress(reference);
  if (address === undefined) return findOwn(app, reference, {});
  const { findForeign, foreignSession, notImported } = await import('./find-foreign.ts');
  const places = await findForeign(app, address);
  const { source, importId } = places;
  if (!imported && source !== undefined) return foreignSession(app, { ...places, source }, address.record);
  if (importId === undefined) throw notImported(places);
  return ownSession(app, importId, address.record);
}

/** An earlier journal of a session. */
interface ArchivedName {
  readonly id: string;
  /** Under archive/. */
  readonly archive: string;
}

/** A journal under archive/ as it is written, with the folder or without; undefined for any other reference. */
export function archivedIn(reference: string): ArchivedName | undefined {
  const [, archive, id] = ARCHIVED.exec(textIn(reference)) ?? [];
  return archive === undefined || id === undefined || !isSessionId(id) ? undefined : { archive, id };
}

function archivedSession(app: App, { id, archive }: ArchivedName): FoundSession {
  const open = async () => {
    try {
      const reader = await openForReading(app, id, archive);
      return reader;
    } catch (error) {
      throw isOllmError(error, 'SESSION_NOT_FOUND') ? notArchived(archive, id) : error;
    }
  };
  return { kind: 'own', id, archive, ...opening(open) };
}

function notArchived(archive: string, id: string): OllmError {
  return new OllmError('SESSION_NOT_FOUND', `There is no journal archive/${archive}.`, {
    hint: `"ollm show ${id}" names the one that the journal of the session follows.`,
    data: { id, archive },
  });
}

/** How a conversation is found that is to be read. */
export interface ReadingOptions {
  /** Whether an earlier journal of a session may be named, as archive/NAME. */
  readonly archived?: boolean | undefined;
  /** For a session of another program, read the import. */
  readonly imported?: boolean | undefined;
}

/**
 * The id of the session that `reference` names, as `findSession`.
 *
 * @example
 * const id = await resolveId(app, '550e84');
 * @throws OllmError as `findSession`
 */
export async function resolveId(app: App, reference: string, options?: { readonly current?: string }): Promise<string> {
  const table = { app: 'App', reference: 'anything', 'options?': 'object' } as const;
  checkArguments('resolveId', table, [app, reference, options]);
  return (await findSession(app, reference, options)).id;
}

/**
 * The address of a session of another program. Undefined for a session of our own, and for an agent that is unknown:
 * the text may be a title.
 */
export function foreignAddress(reference: string): Address | undefined {
  const address = addressIn(reference);
  if (address === undefined || address.agent === OWN_AGENT) return undefined;
  return isAgentName(address.agent) ? address : undefined;
}

/** A title may hold a colon too, and then mostly a space. @throws OllmError USAGE: no id after the colon */
function addressIn(reference: string): Address | undefined {
  const text = textIn(reference);
  const [, agent = ''] = /^([a-z0-9-]+):(?:#.*)?$/.exec(text) ?? [];
  if (agent === OWN_AGENT || isAgentName(agent)) throw withoutId(agent);
  return /\s/.test(text) ? undefined : parseAddress(text);
}

/** The reference of a program without types, too. @throws OllmError USAGE: it is a conversation, or not a text */
export function textIn(reference: unknown): string {
  if (typeof reference === 'string') return reference.trim();
  const isConversation = isObject(reference) && isObject(reference.session);
  throw new OllmError(
    'USAGE',
    `A session is named by a text here, not by ${isConversation ? 'a conversation' : typeof reference}.`,
    {
      hint: isConversation ? 'Pass conversation.session.id.' : 'Pass an id, a name, an address, or @last.',
      data: { argument: 'reference' },
    },
  );
}

function onlyForReading({ archive, id }: ArchivedName): OllmError {
  return new OllmError('USAGE', `archive/${archive} is an earlier journal of session ${id}: it can only be read.`, {
    hint: '"ollm show", "replay", "export", "tail", "audit" and "verify" read it.',
    data: { id, archive },
  });
}

function withoutId(agent: string): OllmError {
  return new OllmError('USAGE', `“${agent}:” names no session: the id is missing.`, {
    hint: `Type ${agent}: and the beginning of an id. "ollm list --agent ${agent}" shows them.`,
    data: { agent },
  });
}

async function findOwn(app: App, reference: string, { current }: { readonly current?: string }): Promise<FoundSession> {
  const address = addressIn(reference);
  const own = address?.agent === OWN_AGENT ? address : undefined;
  const id = await find(app, own?.id ?? reference, current);
  return ownSession(app, id, own?.record);
}

async function ownSession(app: App, id: string, key: string | undefined): Promise<FoundSession> {
  await readOlderForm(app, id);
  return { kind: 'own', id, key, ...opening(() => openForReading(app, id)) };
}

async function find(app: App, reference: string, current: string | undefined): Promise<string> {
  const text = textIn(reference);
  const earlier = archivedIn(text);
  if (earlier !== undefined) throw onlyForReading(earlier);
  if (text === LAST) return lastId(app, current);
  const exact = text.toLowerCase();
  if ((await app.store.has(exact)) || (await isBareSession(app, exact))) return exact;
  const ids = await ownIds(app);
  const id = await pickId(text, ids, { relation: 'sessions begin with', titlesOf: () => ownTitles(app) });
  if (id !== undefined) return id;
  if (text === '' || text.length > MAX_REFERENCE_LENGTH || HOSTILE.test(text)) throw invalid(text);
  const rows = await listSessions(app);
  const titled = rows.filter(({ summary }) => summary?.title?.toLowerCase() === text.toLowerCase());
  if (titled.length === 0) throw (await renamed(app, text)) ?? notFound(text, ids, rows);
  return onlyOne(
    text,
    titled.map((row) => row.id),
    { relation: 'sessions are called', titlesOf: async () => titlesIn(rows) },
  );
}

async function ownTitles(app: App): Promise<ReadonlyMap<string, string | undefined>> {
  return titlesIn(await listSessions(app));
}

function titlesIn(rows: readonly SessionRow[]): ReadonlyMap<string, string | undefined> {
  return new Map(rows.map(({ id, summary }) => [id, nameOf(summary)]));
}

/** The one of `ids` that `text` is, or is the beginning of. @throws OllmError SESSION_AMBIGUOUS */
export async function pickId(
  text: string,
  ids: readonly string[],
  candidates: Candidates,
): Promise<string | undefined> {
  const id = text.toLowerCase();
  if (ids.includes(id)) return id;
  const prefixed = isSessionId(id) ? ids.filter((candidate) => candidate.startsWith(id)) : [];
  return prefixed.length === 0 ? undefined : onlyOne(text, prefixed, candidates);
}

/**
 * Imports are left out: an import is written into when its program was used, and turns belong elsewhere. So are the
 * sessions of agents that another session began.
 */
async function lastId(app: App, current: string | undefined): Promise<string> {
  const all = await app.store.list();
  const subagents = subagentsIn(all.map(({ id }) => id));
  const others = all.filter(({ id }) => id !== current && !subagents.has(id));
  for (const { id } of others.sort((a, b) => b.modifiedMs - a.modifiedMs)) {
    if (!(await isImport(app.store, id))) return id;
  }
  throw new OllmError('SESSION_NOT_FOUND', `There is no ${current === undefined ? '' : 'other '}session yet.`, {
    hint: 'Start one with "ollm repl".',
  });
}

/** An address has no blank, and an id of another program may have one. */
async function renamed(app: App, text: string): Promise<OllmError | undefined> {
  const address = parseAddress(text);
  if (address === undefined || !isAgentName(address.agent)) return undefined;
  const { renamedSession } = await import('./find-foreign.ts');
  return renamedSession(app, address);
}

function invalid(text: string): OllmError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new OllmError('SESSION_ID_INVALID', `${JSON.stringify(shown)} is not an id, prefix or title of a session.`, {
    hint: '"ollm list" shows all sessions; @last is the one used last.',
    data: { reference: shown },
  });
}

function notFound(text: string, ids: readonly string[], rows: readonly SessionRow[]): OllmError {
  const titles = new Map(rows.flatMap(({ id, summary }) => (summary?.title ? [[summary.title, id]] : [])));
  const near = nearest(text, ids) ?? nearest(text, [...titles.keys()]);
  const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`;
  const agent = addressIn(text)?.agent;
  const strange =
    agent === undefined ? '' : ` ${JSON.stringify(agent)} is not an agent; there are: ${AGENT_NAMES.join(', ')}.`;
  return new OllmError('SESSION_NOT_FOUND', `There is no session ${JSON.stringify(text)}.${meant}${strange}`, {
    hint: '"ollm list" shows all sessions; @last is the one used last.',
    data: { reference: text, near: near === undefined ? undefined : (titles.get(near) ?? near) },
  });
}
