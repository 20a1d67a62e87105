// Imports a session of another program: its bytes first, then their events, into a journal of its own. Only the journal
// states how far an import has come, so a killed one continues, and a repeated one adds nothing. Content that the
// source no longer holds stays. The program's own files are only read.
import { formatAddress, importedId } from '../agents/address.ts';
import type { Agent, ForeignEvent, Source } from '../agents/agent.ts';
import { Fidelity, type FidelityReport } from '../agents/fidelity.ts';
import { openContent, type SessionContent } from '../agents/session-content.ts';
import type { TranslatorState } from '../agents/translator.ts';
import { OllmError } from '../errors/index.ts';
import { everyOutcome, firstEvent as firstStored } from '../journal/reading/outcomes.ts';
import type { JournalWriter, StoredEvent } from '../journal/types.ts';
import { type Continuation, isOfSource, readContinuation, writeContinuation } from './continuation.ts';
import { timeOfEvent } from './import-events.ts';
import {
  firstEvent,
  type Imported,
  ImportedJournal,
  type ImportWork,
  isReadable,
  keeping,
  keptEvent,
  newest,
  type SourceGrowth,
  sourceBytes,
} from './imported-journal.ts';
import { endOf, isKept, type KeptPart } from './kept-bytes.ts';
import { compareSource, type KeepOutcome, keepGrown, type SourceBytes } from './kept-source.ts';
import { translatedRecords } from './translated-records.ts';

export interface ImportOptions extends Pick<ImportWork, 'store' | 'files' | 'keepsSource' | 'keepsOutputs' | 'signal'> {
  /** Translates imported content again; the old journal goes to archive/. */
  readonly again?: boolean | undefined;
  /** Make the fidelity report: about all of the source, also where there is nothing new in it. */
  readonly report?: boolean | undefined;
  /** Whether `ImportedSession.content` is asked for. */
  readonly notesContent?: boolean | undefined;
  /** Whether this value may be stored next to the journal, because it holds no secret. Default: none may. */
  readonly mayStore?: ((value: object) => boolean) | undefined;
  /**
   * Called with the subagents inside of the file where there may be something new of them, before the import counts as
   * ended: one that is killed there calls it again. See `Source.inside`.
   */
  readonly onInsides?: ((keys: readonly string[]) => Promise<void>) | undefined;
}

/**
 * - `imported`: there was none
 * - `grown`: events were added
 * - `unchanged`: there is nothing new
 * - `again`: translated once more; `archive` is the old journal
 * - `vanished`: the source is gone, and the import stays
 * - `empty`: nothing in it is a conversation
 */
export interface ImportedSession {
  /** `held`: another process has its journal open, as a run of its agent does, which brings it up to date itself. */
  readonly kind: 'imported' | 'grown' | 'unchanged' | 'again' | 'vanished' | 'empty' | 'held';
  /** The id of the journal. */
  readonly id: string;
  readonly address: string;
  /** How many events were added. */
  readonly events: number;
  /** Where a report was asked for, and there is a source. */
  readonly fidelity?: FidelityReport | undefined;
  readonly archive?: string | undefined;
  /** All that it was imported from, for one of many sessions in a database. See session-content.ts. */
  readonly content?: SessionContent | undefined;
  /** The file became shorter than it was at the last import, in bytes. The earlier content is kept. */
  readonly shrunk?: { readonly from: number; readonly to: number; readonly generation: number } | undefined;
}

type Work = ImportOptions & ImportWork;

/** A part of the name of an archive. */
const REWRITTEN = 'rewritten';

/**
 * @example
 * const { id, events } = await importSession(await loadAgent('claude'), source, { store, files, ...settings });
 * @throws OllmError SESSION_NOT_FOUND (neither source nor import is there), IO_FAILED, JOURNAL_*; the reason of
 * `signal`
 */
export async function importSession(agent: Agent, source: Source, options: ImportOptions): Promise<ImportedSession> {
  using opened = options.notesContent ? openContent(agent, source, options.files) : undefined;
  const session = await takeIn(agent, source, options);
  const content = opened?.now();
  return content === undefined ? session : { ...session, content };
}

async function takeIn(agent: Agent, source: Source, options: ImportOptions): Promise<ImportedSession> {
  const id = importedId(agent.name, source.id);
  const address = formatAddress({ agent: agent.name, id: source.id });
  const fidelity = options.report ? new Fidelity(agent) : undefined;
  const work: Work = { ...options, agent, source, id, address, fidelity };
  const isThere = (await options.store.has(id)) && (await holdsImport(work));
  const bytes = sourceBytes(work);
  if (!isThere) return importNew(work, bytes);
  if (!isReadable(bytes)) return goOn(work, undefined);
  const known = options.again || options.report ? undefined : await readContinuation(options.store, id, agent);
  const continued = known && (await continueFrom(work, bytes, known));
  if (continued !== undefined) return continued;
  const last = await endOfImport(work);
  const isSame = last !== undefined && (await compareSource(bytes, last)) === 'same';
  if (!isSame || options.again) return goOn(work, bytes);
  if (options.report) await count(work, bytes);
  return done(work, 'unchanged', 0);
}

/** Undefined if the source was rewritten, or another process has written into the journal: then all is read again. */
async function continueFrom(work: Work, bytes: SourceBytes, known: Continuation): Promise<ImportedSession | undefined> {
  const parts = [...known.parts];
  const last = parts.at(-1);
  if (last === undefined) return undefined;
  let writer: JournalWriter | undefined;
  try {
    const kept = await keepGrown(bytes, {
      ...keeping(work, parts, async () => {
        writer ??= await openBehind(work, known);
        return writer;
      }),
      last,
    });
    if (kept === 'same') return done(work, 'unchanged', 0);
    if (writer === undefined) return undefined;
    const journal = new ImportedJournal(work, writer, { parts, stored: known.stored }, known.checkpoint);
    const events = await journal.catchUp(bytes);
    await finish(work, journal);
    return done(work, 'grown', events);
  } catch (error) {
    if (error === CHANGED) return undefined;
    throw error;
  } finally {
    await writer?.close();
  }
}

/** Thrown where another process has written into the journal of an import. */
export const CHANGED = new Error('The journal does not end where the last import did.');

/** Opens the journal where an import left it. @throws CHANGED */
export async function openBehind(
  { store, id }: Pick<ImportWork, 'store' | 'id'>,
  { anchor, epoch }: Pick<Continuation, 'anchor' | 'epoch'>,
): Promise<JournalWriter> {
  let isSame = true;
  const onEvent = (event: StoredEvent) => {
    if (isOfSource(event)) isSame = false;
  };
  const writer = await store.openWriter(id, { anchor, anchorEpoch: epoch, onEvent });
  if (isSame && writer.report.anchored && writer.report.damage.length === 0) return writer;
  await writer.close();
  throw CHANGED;
}

/** Reads the source only for the report. */
async function count({ agent, source, fidelity, signal }: Work, bytes: SourceBytes): Promise<void> {
  for await (const _ of translatedRecords(agent, source, bytes.chunks(), { form: bytes.form, fidelity })) {
    signal?.throwIfAborted();
  }
}

async function importNew(work: Work, bytes: SourceBytes): Promise<ImportedSession> {
  const first = await firstEvent(work, bytes);
  if (first === undefined) return done(work, 'empty', 0);
  const writer = await work.store.create(work.id, createdBy(first));
  try {
    const journal = new ImportedJournal(work, writer, { parts: [], stored: [writer.head.seq] });
    const { events } = await journal.take(bytes);
    await finish(work, journal);
    return done(work, 'imported', events);
  } finally {
    await writer.close();
  }
}

/** `bytes`: undefined once the source is gone. */
async function goOn(work: Work, bytes: SourceBytes | undefined): Promise<ImportedSession> {
  const { agent, again = false } = work;
  if (bytes === undefined && !again && (await endOfImport(work)) !== undefined) return done(work, 'vanished', 0);
  const journal = await ImportedJournal.open(work);
  const { writer } = journal;
  const before = [...journal.parts];
  let mustReplace = again;
  let growth: SourceGrowth;
  try {
    const isOutdated = before.some(({ translator }) => translator !== agent.version);
    growth = await journal.take(bytes, (kept) => {
      mustReplace ||= isOutdated && kept !== 'same';
      return !mustReplace;
    });
    if (growth.kind === 'same' || growth.kind === 'grown') {
      await finish(work, journal);
      const session = done(work, bytes === undefined ? 'vanished' : 'grown', growth.events);
      return { ...session, ...shrinking(work, growth.kept, before, journal.parts) };
    }
    await closeInOrder(writer);
    if (growth.kind === 'shrunk') {
      return { ...done(work, 'vanished', 0), ...shrinking(work, growth.kept, before, journal.parts) };
    }
  } finally {
    await writer.close();
  }
  const session = await replace(work, bytes, journal, { isRewritten: !mustReplace });
  return { ...session, ...shrinking(work, growth.kept, before, journal.parts) };
}

/** Not for a document, which the program rewrites each time. */
function shrinking(
  { agent, source }: Work,
  kept: KeepOutcome,
  before: readonly KeptPart[],
  parts: readonly KeptPart[],
): Pick<ImportedSession, 'shrunk'> {
  const last = before.at(-1);
  if ((kept !== 'rewritten' && kept !== 'shrunk') || last === undefined) return {};
  const [from, to] = [endOf(last), kept === 'shrunk' ? 0 : endOf(parts.at(-1))];
  if (agent.stored(source).kind !== 'lines' || to >= from) return {};
  return { shrunk: { from, to, generation: last.generation } };
}

/**
 * Archives the current journal, and replaces it by a new one, with all kept generations. A source that is rewritten
 * again and again leaves a single archive: the content of earlier ones follows from the kept generations.
 */
async function replace(
  work: Work,
  bytes: SourceBytes | undefined,
  before: Pick<Imported, 'parts' | 'created'>,
  { isRewritten }: { readonly isRewritten: boolean },
): Promise<ImportedSession> {
  const { store, id, agent } = work;
  const first = await firstEvent(work, bytes, before.parts);
  // A source that holds no conversation any more removes nothing from the import.
  if (first === undefined) return done(work, 'vanished', 0);
  const { encryption, previous } = before.created?.data ?? {};
  const { archive: earlier } = (previous ?? {}) as { readonly archive?: unknown };
  const isSuperseded = isRewritten && typeof earlier === 'string' && earlier.endsWith(`.${REWRITTEN}.jsonl`);
  let events = 0;
  const archive = await store.replace(id, {
    suffix: isRewritten ? REWRITTEN : 'import',
    supersedes: isSuperseded && before.parts.every(isKept) ? earlier : undefined,
    created: (name) => ({
      ...createdBy(first),
      ...(encryption === undefined ? {} : { encryption }),
      previous: { archive: name, reason: 'rebuild' },
    }),
    async fill(writer) {
      const parts = before.parts.map((part) => ({ ...part, translator: agent.version }));
      await writer.append(parts.map(keptEvent));
      const journal = new ImportedJournal(work, writer, { parts, stored: [0] });
      events = await journal.catchUp(bytes);
      await tellInsides(work, journal.checkpoint?.translator);
    },
  });
  return { ...done(work, 'again', events), archive };
}

/** The journal itself adds its facts about the file. */
export function createdBy(event: ForeignEvent): object {
  const { format: _, sessionId: __, ...created } = event.data;
  return { ...created, ...timeOfEvent(event), imported: true };
}

/** The last part of an import that came to its end: found from the end, so that one that is up to date costs little. */
async function endOfImport({ store, id }: Work): Promise<KeptPart | undefined> {
  using reader = store.openReader(id);
  let isLast = true;
  let last: KeptPart | undefined;
  await everyOutcome(reader.backwards(), (outcome) => {
    if (outcome.kind === 'damage' || (isLast && outcome.event.type !== 'session.closed')) return false;
    isLast = false;
    if (outcome.event.type === 'source.kept') last = outcome.event.data as unknown as KeptPart;
    return last === undefined;
  });
  return last;
}

/** False for what a crash left of a journal before its first line was whole. @throws OllmError SESSION_EXISTS */
async function holdsImport({ store, id, address }: Work): Promise<boolean> {
  using reader = store.openReader(id);
  const first = await firstStored(reader.outcomes());
  if (first === undefined) return false;
  const { origin, imported } = first.data as { readonly origin?: { address?: unknown }; imported?: true };
  if (imported === true && origin?.address === address) return true;
  throw new OllmError('SESSION_EXISTS', `There is a session ${id} already, and it is not an import of ${address}.`, {
    hint: `Move it out of the way with "ollm delete ${id}", then import again.`,
    data: { id, address },
  });
}

/** The next import of this process continues from here, unless the journal says more than the source. */
async function finish(work: Work, { parts, stored, writer, checkpoint }: ImportedJournal): Promise<void> {
  const { id, agent, source, store, mayStore } = work;
  await tellInsides(work, checkpoint?.translator);
  await closeInOrder(writer);
  const isDocument = agent.stored(source).kind === 'document';
  const isCurrent = parts.every((part) => part.translator === agent.version);
  if (isDocument || !isCurrent || checkpoint?.translator.seq !== stored.length) return;
  if (mayStore?.(checkpoint.translator) !== true) return;
  const end = { anchor: writer.head, epoch: writer.report.epoch };
  await writeContinuation(store, id, { ...end, parts: newest(parts), stored, checkpoint });
}

/** An import that did not come here is continued by the next one. */
export async function closeInOrder(writer: JournalWriter): Promise<void> {
  await writer.append({ type: 'session.closed', data: { reason: 'exit' } }, { durability: 'disk' });
}

/** A subagent has none itself. */
async function tellInsides({ agent, source, onInsides }: Work, translator: TranslatorState | undefined): Promise<void> {
  if (translator === undefined || source.inside !== undefined) return;
  await onInsides?.(agent.insides?.(translator.state) ?? []);
}

function done({ id, address, fidelity }: Work, kind: ImportedSession['kind'], events: number): ImportedSession {
  return { kind, id, address, events, ...(fidelity === undefined ? {} : { fidelity: fidelity.report() }) };
}
