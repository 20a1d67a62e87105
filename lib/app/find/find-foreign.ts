// Which session of another program an address names: `claude:5f3c`, of which the beginning of the id is enough. It may
// be where its program keeps it, imported, or both.
import { type Address, formatAddress, importedId } from '../../agents/address.ts';
import type { Agent, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import { insideSource, partsOfInside } from '../../agents/inside.ts';
import { openForeign } from '../../agents/open-foreign.ts';
import { cataloguedSessions } from '../../catalog/listed-sessions.ts';
import { nearest } from '../../config/nearest.ts';
import { isOllmError, OllmError, unless } from '../../errors/index.ts';
import { awayHomes, type ForeignPorts, sourcesNamed, unlistedPaths } from '../../hub/find-sources.ts';
import { type SessionKeeper, sessionKeeper } from '../../hub/session-keepers.ts';
import type { EventReader } from '../../journal/types.ts';
import { isInside } from '../../platform/files/inside.ts';
import { redactingReader } from '../../stores/redacting-reader.ts';
import type { App } from '../app.ts';
import { readJournal } from '../journals/read-journal.ts';
import { handoverNotes } from '../list/handover-ledger.ts';
import { listedHead } from '../list/listed-head.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { type ForeignSession, onlyOne, opening } from './found.ts';

/** A session of another program, as far as it is there. One of `source` and `importId` is known. */
interface ForeignPlaces {
  readonly agent: Agent;
  /** The whole id. */
  readonly id: string;
  readonly source: Source | undefined;
  /** Id of the journal that it was imported into. */
  readonly importId: string | undefined;
}

/**
 * @throws OllmError USAGE (there is no such agent), SESSION_NOT_FOUND, SESSION_AMBIGUOUS (with the candidates)
 */
export async function findForeign(app: App, { agent: name, id: typed }: Address): Promise<ForeignPlaces> {
  const ports = foreignPorts(app);
  const keeper = await sessionKeeper(ports, name);
  const { agent } = keeper;
  const named = new Map(sourcesNamed(typed, keeper.sources()).map((source) => [source.id, source]));
  if (named.has(typed))
    return { agent, id: typed, source: named.get(typed), importId: await importOf(app, name, typed) };
  const inside = named.size === 0 ? await findInside(app, keeper, typed) : undefined;
  if (inside !== undefined) return inside;
  const imports = await importsNamed(app, name, typed);
  if (imports.has(typed)) return { agent, id: typed, source: undefined, importId: imports.get(typed) };
  const ids = [...new Set([...named.keys(), ...imports.keys()])].sort();
  if (ids.length === 0) {
    const printed = await printedAs(app, keeper, typed);
    if (printed === undefined) {
      throw (await vanished(app, keeper, typed)) ?? notTakenIn(app, agent, typed) ?? notFound(keeper, typed, ports);
    }
    return printed;
  }
  const addresses = ids.map((id) => formatAddress({ agent: name, id }));
  const address = await onlyOne(formatAddress({ agent: name, id: typed }), addresses, {
    relation: 'sessions begin with',
    titlesOf: (some) =>
      titlesOf(app, agent, new Map(some.map((each) => [each, named.get(each.slice(name.length + 1))]))),
  });
  const id = address.slice(name.length + 1);
  return { agent, id, source: named.get(id), importId: imports.get(id) };
}

/** A file that was handed over, and is no session until the program takes it in; one for Cursor never is. */
function notTakenIn(app: App, { name, title }: Agent, typed: string): OllmError | undefined {
  if (name !== 'cursor' && name !== 'opencode') return undefined;
  const address = formatAddress({ agent: name, id: typed });
  const isThere = (path: string) => app.fileSystem.stat(path) !== undefined;
  const note = handoverNotes(app).findLast((each) => each.address.startsWith(address) && isThere(each.path));
  if (note === undefined) return undefined;
  const { from, path } = note;
  const [is, next] =
    name === 'cursor'
      ? ['a document and not a session', `${title} reads the document; "ollm show ${from}" shows the conversation.`]
      : [
          `not a session of ${title} yet`,
          `"${name} import ${path}" takes it in; "ollm show ${from}" shows the conversation.`,
        ];
  return new OllmError('SESSION_NOT_FOUND', `${note.address} is ${is}: ${path}, handed over from ${from}.`, {
    hint: next,
    data: { path, handedFrom: from },
  });
}

/** A subagent inside of the file of its session: the beginning of its key is enough, too. */
async function findInside(
  app: App,
  { agent, sources }: SessionKeeper,
  typed: string,
): Promise<ForeignPlaces | undefined> {
  const parts = partsOfInside(typed);
  const [session, ...others] = parts === undefined ? [] : sourcesNamed(parts.parent, sources());
  if (parts === undefined || session === undefined || others.length > 0) return undefined;
  using reader = openForeign(agent, session, foreignPorts(app).files);
  for await (const _ of reader.outcomes());
  const keys = reader.insides().filter((key) => key.startsWith(parts.key));
  const key = keys.includes(parts.key) ? parts.key : keys.length === 1 ? keys[0] : undefined;
  if (key === undefined) return undefined;
  const source = insideSource(session, key);
  return { agent, id: source.id, source, importId: await importOf(app, agent.name, source.id) };
}

/**
 * The session whose printed id this is. A continued session may have left an empty file; for a vanished one, only the
 * beginning of the id is known.
 */
async function printedAs(
  app: App,
  { agent, sources }: SessionKeeper,
  typed: string,
): Promise<ForeignPlaces | undefined> {
  const start = agent.startOfId?.(typed);
  if (start === undefined) return undefined;
  const ports = foreignPorts(app);
  const heads = sourcesNamed(start, sources()).flatMap((source) => {
    const head = unless(isOllmError, () => readHead(agent, source, ports.files));
    return head?.printedId?.toLowerCase().startsWith(typed.toLowerCase()) ? [{ source, head }] : [];
  });
  const { source } = heads.find(({ head }) => head.firstPrompt !== undefined) ?? heads[0] ?? {};
  if (source !== undefined) {
    return { agent, id: source.id, source, importId: await importOf(app, agent.name, source.id) };
  }
  const [only, ...others] = await importsNamed(app, agent.name, start);
  if (only === undefined || others.length > 0) return undefined;
  return { agent, id: only[0], source: undefined, importId: only[1] };
}

/** The found session, for reading from its program's own files. */
export function foreignSession(
  app: App,
  { agent, source, importId }: ForeignPlaces & { readonly source: Source },
  key?: string,
): ForeignSession {
  const { files } = foreignPorts(app);
  const open = async (): Promise<EventReader> => {
    const reader: EventReader = openForeign(agent, source, files);
    if (!app.config.services.redaction.enabled) return reader;
    const redact = await app.redactor();
    return redactingReader(reader, (text) => redact(text).text);
  };
  return {
    kind: 'foreign',
    id: formatAddress({ agent: agent.name, id: source.id }),
    key,
    source,
    agentTitle: agent.title,
    importId,
    async fidelity(options) {
      using reader = openForeign(agent, source, files);
      return await reader.fidelity(options);
    },
    ...opening(open),
  };
}

/** Titles of those whose sources can be read. */
async function titlesOf(
  app: App,
  agent: Agent,
  sources: ReadonlyMap<string, Source | undefined>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const titles = new Map<string, string | undefined>();
  for (const [address, source] of sources) {
    const head = source && (await unless(isOllmError, () => listedHead(app, agent, source)));
    titles.set(address, head?.title);
  }
  return titles;
}

/** The journal of its import, if there is one. */
async function importOf(app: App, agent: string, id: string): Promise<string | undefined> {
  const journal = importedId(agent, id);
  if (!(await app.store.has(journal))) return undefined;
  return (await originOf(app, agent, journal)) === id ? journal : undefined;
}

/** A plain id names the imported session itself; a hash does not. */
const HASHED = /^[a-z2-7]{26}$/;

/** Imports of the sessions with this id, or all that begin with it: their journals by the ids of the sessions. */
async function importsNamed(app: App, agent: string, typed: string): Promise<ReadonlyMap<string, string>> {
  const start = typed.toLowerCase();
  const found = new Map<string, string>();
  for (const journal of await app.store.ids()) {
    if (!journal.startsWith(`${agent}-`)) continue;
    const rest = journal.slice(agent.length + 1);
    if (!rest.startsWith(start) && !HASHED.test(rest)) continue;
    const id = await originOf(app, agent, journal);
    if (id?.toLowerCase().startsWith(start)) found.set(id, journal);
  }
  return found;
}

/** The id that the session of a journal has in this agent, if it is an import from there. */
async function originOf({ store }: App, agent: string, journal: string): Promise<string | undefined> {
  const first = await unless(isOllmError, () => readJournal(store, journal, (reader) => reader.first()));
  const origin = (first?.data.origin ?? {}) as { readonly agent?: unknown; readonly sessionId?: unknown };
  return origin.agent === agent && typeof origin.sessionId === 'string' ? origin.sessionId : undefined;
}

/** @throws OllmError always: for operations on lines and checksums of a journal */
export function withoutChecksums({ agent, id }: Pick<ForeignPlaces, 'agent' | 'id'>): OllmError {
  const address = formatAddress({ agent: agent.name, id });
  return new OllmError('USAGE', `${address} has no checksums of its own.`, {
    hint: `Import it first: ollm import ${address}`,
    data: { address },
  });
}

export function notImported({ agent, id }: Pick<ForeignPlaces, 'agent' | 'id'>): OllmError {
  const address = formatAddress({ agent: agent.name, id });
  return new OllmError('SESSION_NOT_FOUND', `${address} has not been imported.`, {
    hint: `Leave out --imported to read it where ${agent.title} keeps it, or import it: ollm import ${address}`,
    data: { address },
  });
}

/** A session that the catalogue remembers, and no program keeps. Undefined where it has none, or several. */
async function vanished(app: App, { agent, places }: SessionKeeper, typed: string): Promise<OllmError | undefined> {
  const { name, title } = agent;
  const ids = new Set<string>();
  for (const { directory, found } of places) {
    const unlisted = unlistedPaths(found());
    const known = await app.catalog.ask((database) => cataloguedSessions(database, { agent: name, directory }));
    for (const { id, path } of known.kind === 'done' ? known.value.values() : []) {
      const mayBeThere = unlisted.some((each) => isInside(each, path ?? directory));
      if (!mayBeThere && id.toLowerCase().startsWith(typed.toLowerCase())) ids.add(id);
    }
  }
  const id = ids.has(typed) ? typed : ids.size === 1 ? [...ids][0]! : undefined;
  if (id === undefined) return undefined;
  const address = formatAddress({ agent: name, id });
  return new OllmError('SESSION_NOT_FOUND', `${address} has vanished: ${title} no longer keeps it.`, {
    hint: 'It has no import. "ollm search" finds what it said, as far as that was indexed; no more of it is left.',
    data: { reference: address, vanished: true },
  });
}

/** The error of an id with a blank, as its program has it. Undefined where no session is called so. */
export async function renamedSession(app: App, { agent, id }: Address): Promise<OllmError | undefined> {
  const ports = foreignPorts(app);
  const keeper = await sessionKeeper(ports, agent);
  return keeper.sources().some((source) => source.ownId === id) ? notFound(keeper, id, ports) : undefined;
}

function notFound({ agent, places, sources }: SessionKeeper, id: string, ports: ForeignPorts): OllmError {
  const { name, title } = agent;
  const ids = sources().map((source) => source.id);
  const renamed = sources().find((source) => source.ownId === id)?.id;
  const near = renamed ?? nearest(id, ids);
  const address = `${name}:${near}`;
  const unreadable = places.flatMap(({ found }) => found().unreadable.map(({ path, reason }) => `${path} ${reason}.`));
  const isUnknown = unreadable.length > 0;
  const none =
    ids.length === 0 && !isUnknown
      ? ` ${title} has no session in ${places.map(({ directory }) => directory).join(', ')}.`
      : '';
  const told = renamed === undefined ? `Did you mean ${address}?` : `The one that ${title} calls so is ${address}.`;
  const meant = near === undefined ? '' : ` ${told}`;
  const missing = isUnknown ? `No session ${name}:${id} can be found now.` : `There is no session ${name}:${id}.`;
  const text = [`${missing}${none}${meant}`, ...unreadable, ...awayHomes(ports)].join(' ');
  return new OllmError('SESSION_NOT_FOUND', text, {
    hint: `"ollm list --agent ${name}" shows all sessions of ${title}.`,
    data: { reference: `${name}:${id}`, near: near === undefined ? undefined : address },
  });
}
