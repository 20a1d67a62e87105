// Opens a journal for writing: takes its lock, reads what must be read, does what the recovery table says, and notes the
// opening. One writer per journal (lock.ts). Before an event was acknowledged there is no journal, after it there is.
import { dirname } from 'node:path';
import { OllmError } from '../errors/index.ts';
import type { Clock, Sleep } from '../platform/clock.ts';
import type { FileHandle, FileSystem } from '../platform/file-system.ts';
import type { Ids } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { ProcessInfo } from '../platform/process-info.ts';
import { AppendFile } from './append-file.ts';
import { Appender, NOTHING } from './appender.ts';
import { Examiner } from './examine.ts';
import { markFailedSync, renewAfterFailedSync } from './failed-sync.ts';
import { FORMAT, LINE_FEED, OWN_TYPES } from './format.ts';
import { openingError, openJournalFile } from './journal-file.ts';
import { acquireLock, describeHolder, readHolder } from './lock.ts';
import { quarantine } from './quarantine.ts';
import { openJournalReader } from './reader.ts';
import { planRecovery, WRITING_ACTIONS } from './recovery.ts';
import { lineBefore, readBackwards, readForwards, tipOf } from './scan.ts';
import type {
  Damage,
  DurabilityPolicy,
  JournalWriter,
  NewEvent,
  OpeningReport,
  OpenWriterOptions,
  StoredEvent,
} from './types.ts';

/** The ports that a writer stands on. */
export interface WriterDependencies {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly process: ProcessInfo;
  readonly log: Log;
  /** Default: the time that it takes. */
  readonly sleep?: Sleep | undefined;
}

/** Where a journal and what belongs to it lie. Their directories exist, but for the quarantine's. */
export interface JournalPlace {
  readonly id: string;
  readonly path: string;
  readonly lockPath: string;
  readonly quarantineDirectory: string;
}

/** @throws OllmError SESSION_EXISTS, JOURNAL_LOCKED, JOURNAL_NOT_A_FILE, JOURNAL_READ_ONLY, JOURNAL_FULL, JOURNAL_POISONED */
export async function createJournalWriter(
  dependencies: WriterDependencies,
  options: JournalPlace & {
    /** The data of `session.created`. The journal adds format, sessionId, pid, host and command. */
    readonly created: object;
    readonly policy?: DurabilityPolicy | undefined;
  },
): Promise<JournalWriter> {
  const { created, policy = 'barrier' } = options;
  // Who created it cannot say otherwise about what only the journal knows.
  const { format: _format, sessionId: _sessionId, ...details } = created as Record<string, unknown>;
  const data = { format: FORMAT, sessionId: options.id, ...details, ...whoWrites(dependencies.process) };
  return withLock(dependencies, options, async (lock) => {
    const whenSyncFails = () => markFailedSync(lock, dependencies);
    const opened = await newOrLeftFile(dependencies, options, whenSyncFails);
    try {
      const writer = new Appender(
        {
          id: options.id,
          policy,
          report: { damage: [], recovered: undefined, clean: true, epoch: 0, anchored: false },
          file: new AppendFile(dependencies.fileSystem, options, opened.handle, whenSyncFails),
          lock,
          head: NOTHING,
          nextSeq: 0,
          lastMs: 0,
        },
        dependencies,
      );
      await writer.appendFirst({ type: OWN_TYPES.created, data }, () =>
        syncName(dependencies.fileSystem, options.path),
      );
      return writer;
    } catch (error) {
      opened.discard();
      throw error;
    }
  });
}

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_NEWER_FORMAT, JOURNAL_EDITED, JOURNAL_READ_ONLY, JOURNAL_FULL, JOURNAL_POISONED */
export async function openJournalWriter(
  dependencies: WriterDependencies,
  options: JournalPlace & OpenWriterOptions,
): Promise<JournalWriter> {
  const { fileSystem, process } = dependencies;
  // Before the lock: what is not there, or no journal, shall not get a lock file beside it.
  openJournalFile(fileSystem, options, 'read', process.uid).close();
  return withLock(dependencies, options, async (lock) => {
    await renewAfterFailedSync(dependencies, options.path, lock);
    const handle = openJournalFile(fileSystem, options, 'append', process.uid);
    try {
      return await openLocked(dependencies, options, handle, lock);
    } catch (error) {
      handle.close();
      throw error;
    }
  });
}

async function openLocked(
  dependencies: WriterDependencies,
  options: JournalPlace & OpenWriterOptions,
  handle: FileHandle,
  lock: FileHandle,
): Promise<JournalWriter> {
  tighten(dependencies, options, handle);
  refuseNewerFormat(options, handle);
  const survey = surveyJournal(handle, options);
  const { cut, refusal } = planRecovery(survey.damage);
  if (refusal) throw edited(options, refusal);
  if (!survey.last && survey.damage.every(({ kind }) => WRITING_ACTIONS[kind] === 'quarantine')) throw empty(options);

  const file = new AppendFile(dependencies.fileSystem, options, handle, () => markFailedSync(lock, dependencies));
  const recovered = cut && (await cutOff(dependencies, options, handle, file, cut));
  endLastLine(file);
  const isTorn = survey.damage.some(({ kind }) => kind === 'unterminated') || cut !== undefined;
  const report: OpeningReport = {
    damage: survey.damage,
    recovered,
    clean: survey.last?.type === OWN_TYPES.closed && !isTorn,
    epoch: (survey.epoch ?? options.anchorEpoch ?? lastEpoch(handle)) + 1,
    anchored: survey.anchored,
  };
  const { last } = survey;
  const writer = new Appender(
    {
      id: options.id,
      policy: options.policy ?? 'barrier',
      report,
      file,
      lock,
      head: last ? { seq: last.seq, offset: file.length, xxh64: last.xxh64 } : NOTHING,
      nextSeq: survey.nextSeq,
      lastMs: Date.parse(last?.ts ?? '') || 0,
    },
    dependencies,
  );
  const { epoch, clean } = report;
  const openedEvent = { type: OWN_TYPES.opened, data: { epoch, clean, ...whoWrites(dependencies.process) } };
  const notes: NewEvent[] = recovered ? [{ type: OWN_TYPES.recovered, data: recovered }, openedEvent] : [openedEvent];
  await writer.append(notes, { durability: 'disk' });
  // Whoever made the file may have died before its name was on the device.
  if (writer.policy !== 'process') await syncName(dependencies.fileSystem, options.path);
  return writer;
}

async function withLock<Result>(
  dependencies: WriterDependencies,
  place: JournalPlace,
  work: (lock: FileHandle) => Promise<Result>,
): Promise<Result> {
  let lock: FileHandle | undefined;
  try {
    lock = await acquireLock(dependencies.fileSystem, place.lockPath, dependencies.sleep);
  } catch (error) {
    throw openingError({ id: place.id, path: place.lockPath }, error, 'lock');
  }
  if (!lock) throw locked(dependencies.fileSystem, place);
  try {
    return await work(lock);
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** What reading before writing found. */
interface Survey {
  readonly damage: readonly Damage[];
  /** The last line that holds. */
  readonly last: StoredEvent | undefined;
  readonly nextSeq: number;
  /** Of the last opening that was read; undefined if none was. */
  readonly epoch: number | undefined;
  readonly anchored: boolean;
}

function surveyJournal(handle: FileHandle, { anchor, onEvent }: OpenWriterOptions): Survey {
  const anchorEvent = anchor && lineBefore(handle, anchor.offset);
  const holds = anchor !== undefined && anchorEvent?.seq === anchor.seq && anchorEvent.xxh64 === anchor.xxh64;
  const after = holds ? anchor : undefined;
  const examiner = new Examiner(tipOf(after));
  const damage: Damage[] = [];
  let last = holds ? anchorEvent : undefined;
  let epoch: number | undefined;
  for (const outcome of readForwards(handle, { after, examiner, isBeingWritten: () => false })) {
    if (outcome.kind === 'damage') {
      damage.push(outcome.damage);
      continue;
    }
    last = outcome.event;
    epoch = epochOf(outcome.event) ?? epoch;
    onEvent?.(outcome.event);
  }
  return { damage, last, nextSeq: examiner.nextSeq, epoch, anchored: holds };
}

function epochOf(event: StoredEvent): number | undefined {
  if (event.type === OWN_TYPES.created) return 0;
  if (event.type !== OWN_TYPES.opened) return undefined;
  const { epoch } = event.data;
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? epoch : undefined;
}

function lastEpoch(handle: FileHandle): number {
  for (const outcome of readBackwards(handle, () => false)) {
    const epoch = outcome.kind === 'event' ? epochOf(outcome.event) : undefined;
    if (epoch !== undefined) return epoch;
  }
  return 0;
}

/** Copies aside what the table says must go, and ends the file before it. */
async function cutOff(
  dependencies: WriterDependencies,
  { id, quarantineDirectory }: JournalPlace,
  handle: FileHandle,
  file: AppendFile,
  cut: Damage & { readonly kind: 'torn-tail' | 'zero-tail' },
): Promise<NonNullable<OpeningReport['recovered']>> {
  const { kind, offset, length } = cut;
  const name = await quarantine(dependencies, handle, { id, offset, directory: quarantineDirectory });
  file.truncate(offset);
  await file.sync('all');
  dependencies.log.warn(
    { service: 'journal', operation: 'recover', id, kind, offset, length, quarantine: name },
    'Bytes at the end of the journal were no whole line and went to quarantine.',
  );
  return { kind, offset, length, quarantine: name };
}

function endLastLine(file: AppendFile): void {
  if (file.length === 0) return;
  const last = new Uint8Array(1);
  file.read(last, file.length - 1);
  if (last[0] !== LINE_FEED) file.write(Uint8Array.of(LINE_FEED));
}

/** A file for a journal that is not there yet; one that a crash left before its first line was whole is taken over. */
async function newOrLeftFile(
  dependencies: WriterDependencies,
  place: JournalPlace,
  whenSyncFails: () => void,
): Promise<{ readonly handle: FileHandle; discard(): void }> {
  const { fileSystem, process } = dependencies;
  if (!fileSystem.stat(place.path)) {
    try {
      const handle = fileSystem.open(place.path, 'create', 0o600);
      const discard = () => {
        handle.close();
        fileSystem.unlink(place.path);
      };
      return { handle, discard };
    } catch (error) {
      throw openingError(place, error, 'create');
    }
  }
  const handle = openJournalFile(fileSystem, place, 'append', process.uid);
  try {
    tighten(dependencies, place, handle);
    const { damage, last } = surveyJournal(handle, {});
    const { cut } = planRecovery(damage);
    if (last || damage.length > (cut ? 1 : 0)) throw exists(place);
    const file = new AppendFile(fileSystem, place, handle, whenSyncFails);
    if (cut) await cutOff(dependencies, place, handle, file, cut);
    return { handle, discard: () => handle.close() };
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** Makes the file's name in its directory as safe as its content. */
async function syncName(fileSystem: FileSystem, path: string): Promise<void> {
  await fileSystem.syncDirectory(dirname(path));
}

/** A journal is nobody else's business: takes away what group and others may do with it. */
function tighten({ fileSystem, log }: WriterDependencies, { id, path }: JournalPlace, handle: FileHandle): void {
  const { mode } = handle.stat();
  if ((mode & 0o077) === 0) return;
  fileSystem.changeMode(path, 0o600);
  log.warn({ service: 'journal', operation: 'open', id, mode }, 'Others could read the journal; now they cannot.');
}

function refuseNewerFormat({ id, path }: JournalPlace, handle: FileHandle): void {
  const first = readForwards(handle, { isBeingWritten: () => false }).next().value;
  if (first?.kind !== 'event' || first.event.type !== OWN_TYPES.created) return;
  const { format, ollm } = first.event.data;
  if (typeof format !== 'number' || format <= FORMAT) return;
  const version = typeof ollm === 'string' ? `ollm ${ollm}` : 'a newer ollm';
  throw new OllmError(
    'JOURNAL_NEWER_FORMAT',
    `Journal ${id} has format ${format}, written by ${version}; this version writes format ${FORMAT}.`,
    {
      hint: `It can be read here. To write it, get ${typeof ollm === 'string' ? `ollm ${ollm} or newer` : version}.`,
      data: { id, path, format, ollm },
    },
  );
}

function whoWrites({ pid, host, command }: ProcessInfo): { pid: number; host: string; command: string } {
  return { pid, host, command };
}

function locked(fileSystem: FileSystem, place: JournalPlace): OllmError {
  const { id, path, lockPath } = place;
  let holder = readHolderOf(fileSystem, { id, path, lockPath });
  holder ??= { pid: undefined, host: undefined, command: undefined, since: undefined };
  const program = holder.command?.includes('repl') ? 'that REPL' : 'that program';
  return new OllmError('JOURNAL_LOCKED', `Journal ${id} is locked by ${describeHolder(holder)}.`, {
    hint: `Read it with "ollm tail ${id}", or close ${program}.`,
    data: { id, path, holder },
  });
}

function readHolderOf(fileSystem: FileSystem, place: { id: string; path: string; lockPath: string }) {
  try {
    const reader = openJournalReader(fileSystem, place);
    try {
      return readHolder(reader);
    } finally {
      reader.close();
    }
  } catch {
    // It is locked, whoever holds it: a journal that is not there yet, or cannot be read, tells no more.
    return undefined;
  }
}

function exists({ id, path }: JournalPlace): OllmError {
  return new OllmError('SESSION_EXISTS', `There is a session ${id} already.`, {
    hint: `Go on with it: "ollm repl --resume ${id}", or choose another name.`,
    data: { id, path },
  });
}

function empty({ id, path }: JournalPlace): OllmError {
  return new OllmError('JOURNAL_EMPTY', `Journal ${id} is empty: its first line was never written whole. ${path}`, {
    hint: 'Nothing in it was ever acknowledged. Create the session anew under this name, or delete it.',
    data: { id, path },
  });
}

function edited({ id, path }: JournalPlace, damage: Damage): OllmError {
  const where = damage.line > 0 ? `line ${damage.line}` : `byte ${damage.offset}`;
  return new OllmError(
    'JOURNAL_EDITED',
    `Journal ${id} was changed by an editor (${where}): ${damage.reason} It can be read, not written. ${path}`,
    { hint: `Run "ollm repair ${id}": it writes a clean copy and keeps this one.`, data: { id, path, damage } },
  );
}
