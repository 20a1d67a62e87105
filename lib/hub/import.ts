// Imports sessions of other programs, one after the other: those that are named, or all there are. One that cannot be
// read is reported and stops nothing else; one that the user deleted is left out unless it is named.
import { formatAddress, importedId } from '../agents/address.ts';
import type { Agent, Source } from '../agents/agent.ts';
import { insideSource } from '../agents/inside.ts';
import { isOllmError, messageOf, type OllmError } from '../errors/index.ts';
import type { Holder, JournalStore, NewEvent } from '../journal/types.ts';
import { contradictionOf } from './contradiction.ts';
import { type ImportedSession, type ImportOptions, importSession } from './import-session.ts';
import { type HubJournal, type ImportNote, importedBefore, noteImported, repairNotes } from './imported-before.ts';
import type { SkippedSource } from './sources.ts';

export interface FoundSource {
  readonly agent: Agent;
  readonly source: Source;
  /** The one whose id it has, of a second file with an id. */
  readonly original?: Source | undefined;
}

export interface ImportRequest extends Omit<ImportOptions, 'again'> {
  readonly again?: boolean | undefined;
  readonly hub: HubJournal;
  readonly sources: readonly FoundSource[];
  /** Whether the user named them: then deleted ones are imported too. */
  readonly areNamed: boolean;
  /** Addresses of those that the user does not want to see: these are left out too. */
  readonly hidden?: (() => ReadonlySet<string>) | undefined;
  /** The user's titles for sessions, by address: their imports get them too. */
  readonly titles?: (() => ReadonlyMap<string, string>) | undefined;
  /** Called before each session. */
  readonly onProgress?: ((progress: { done: number; total: number; address: string }) => void) | undefined;
  /** Called after each one, with its report. */
  readonly onSession?: ((session: ImportedSession) => void) | undefined;
}

export interface ImportReport {
  /** Sessions that were looked at. */
  readonly sessions: number;
  readonly imported: number;
  readonly grown: number;
  readonly unchanged: number;
  readonly again: number;
  readonly vanished: number;
  /** Sources without a conversation. */
  readonly empty: number;
  /** Left out, because the user deleted them. */
  readonly deleted: number;
  /** Left out, because another process has their journals open, mostly a run of their agent: why, of each. */
  readonly held: readonly SkippedSource[];
  readonly events: number;
  readonly skipped: readonly SkippedSource[];
  /** Sessions whose file has the id of another one and says something else; both were imported. */
  readonly contradictions: readonly SkippedSource[];
  /** A message for the user about the list of imports, if that was damaged. */
  readonly damage?: string | undefined;
}

/** The number of imports that are noted together. */
const NOTED_AT_ONCE = 100;

/** @throws the reason of `signal`, and errors that are not about one session: the disk is full, or cannot be written */
export async function importSessions(request: ImportRequest): Promise<ImportReport> {
  const { sources, hub, store, areNamed, signal, onProgress, onSession } = request;
  // Named sessions are imported whatever the list states.
  const damage = areNamed ? undefined : await repairNotes(hub);
  const before = await importedBefore(hub);
  const titles = request.titles?.();
  const hidden = areNamed ? undefined : request.hidden?.();
  const counts = { imported: 0, grown: 0, unchanged: 0, again: 0, vanished: 0, empty: 0, deleted: 0, events: 0 };
  const held: SkippedSource[] = [];
  const skipped: SkippedSource[] = [];
  const notes: ImportNote[] = [];
  const changed = new Set<string>();
  let sessions = 0;
  const importOne = async ({ agent, source }: FoundSource): Promise<void> => {
    signal?.throwIfAborted();
    const id = importedId(agent.name, source.id);
    const address = formatAddress({ agent: agent.name, id: source.id });
    sessions += 1;
    if (hidden?.has(address) || (!areNamed && before.has(id) && !(await store.has(id)))) {
      counts.deleted += 1;
      return;
    }
    try {
      const session = await importSession(agent, source, {
        ...request,
        // The bytes of a subagent inside of a file are kept with those of its session.
        keepsSource: request.keepsSource && source.inside === undefined,
        async onInsides(keys) {
          for (const key of keys) await importOne({ agent, source: insideSource(source, key) });
        },
      });
      if (session.kind !== 'held') counts[session.kind] += 1;
      if (session.events > 0) changed.add(address);
      const title = session.kind === 'imported' || session.kind === 'again' ? titles?.get(address) : undefined;
      if (title !== undefined) await titleImport(store, session.id, title);
      counts.events += session.events;
      if (session.kind !== 'empty' && !before.has(id)) {
        notes.push({ id, address, isSubagent: source.parent !== undefined });
      }
      onSession?.(session);
    } catch (error) {
      signal?.throwIfAborted();
      if (isOllmError(error) && STOPPING.includes(error.code)) throw error;
      if (isOllmError(error, 'JOURNAL_LOCKED')) {
        held.push({ address, reason: heldWords(error), code: error.code });
        onSession?.({ kind: 'held', id, address, events: 0 });
      } else skipped.push({ address, reason: messageOf(error), ...(isOllmError(error) ? { code: error.code } : {}) });
    }
    if (notes.length >= NOTED_AT_ONCE) await noteImported(hub, notes.splice(0));
  };
  try {
    for (const [done, found] of sources.entries()) {
      const { agent, source } = found;
      onProgress?.({ done, total: sources.length, address: formatAddress({ agent: agent.name, id: source.id }) });
      await importOne(found);
    }
  } finally {
    await noteImported(hub, notes);
  }
  const contradictions = await contradictionsOf(request, changed);
  return { sessions, ...counts, held, skipped, contradictions, ...(damage === undefined ? {} : { damage }) };
}

/** A run holds the journal as long as its agent works; an import by another process does so for a moment. */
function heldWords({ data }: OllmError): string {
  const { pid, command } = (data.holder ?? {}) as Partial<Holder>;
  const by = [pid === undefined ? 'another process' : `process ${pid}`, command && `(${command})`];
  return `held by a run in ${by.filter(Boolean).join(' ')}, which keeps it up to date`;
}

/** Addresses of copies whose imports grew, and of those whose original's import grew. */
async function contradictionsOf(
  { sources, files }: ImportRequest,
  changed: ReadonlySet<string>,
): Promise<readonly SkippedSource[]> {
  const found: SkippedSource[] = [];
  for (const { agent, source, original } of sources) {
    if (original === undefined) continue;
    const [address, other] = [source, original].map(({ id }) => formatAddress({ agent: agent.name, id }));
    if (!changed.has(address!) && !changed.has(other!)) continue;
    const reason = await contradictionOf(agent, source, { original, files });
    if (reason !== undefined) found.push({ address: address!, reason });
  }
  return found;
}

async function titleImport(store: JournalStore, id: string, title: string): Promise<void> {
  const writer = await store.openWriter(id);
  try {
    const titled: NewEvent = { type: 'session.titled', data: { title, by: 'user' } };
    await writer.append([titled, { type: 'session.closed', data: { reason: 'exit' } }], { durability: 'disk' });
  } finally {
    await writer.close();
  }
}

const STOPPING: readonly string[] = [
  'JOURNAL_FULL',
  'JOURNAL_READ_ONLY',
  'STORE_ON_NETWORK',
  'KEY_WRONG',
  'KEY_UNUSABLE',
];
