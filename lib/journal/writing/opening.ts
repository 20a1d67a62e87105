// An opening for writing, wherever the journal is kept: what must be known first, the events that it adds, or why it is
// refused and what to do about it.
import { OllmError } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import type { ProcessInfo } from '../../platform/processes/process-info.ts';
import { type JournalFile, openJournalFile } from '../files/journal-file.ts';
import { describeHolder, holderIn } from '../files/lock.ts';
import { FORMAT, isKnownFormat, OWN_TYPES } from '../format.ts';
import { planRecovery, type RecoveryPlan, WRITING_ACTIONS } from '../reading/recovery.ts';
import { eventsOf, inBatches, type JournalSource, readBackwards, readFirst } from '../reading/scan.ts';
import { type LastLine, lastEpoch, type Survey, surveyJournal } from '../reading/survey.ts';
import type { Damage, Holder, NewEvent, OpeningReport, OpenWriterOptions, StoredEvent } from '../types.ts';

/** The first line. The caller cannot override what only the journal knows. */
export function createdEvent(process: ProcessInfo, id: string, created: object): NewEvent {
  const { format: _format, sessionId: _sessionId, ...details } = created as Record<string, unknown>;
  const data = { format: FORMAT, sessionId: id, ...details, ...ownProcess(process) };
  return { type: OWN_TYPES.created, data };
}

/** What an opening adds: that it took place, and what was recovered. */
export function openingEvents(process: ProcessInfo, { epoch, clean, recovered }: OpeningReport): NewEvent[] {
  const opened = { type: OWN_TYPES.opened, data: { epoch, clean, ...ownProcess(process) } };
  return recovered ? [{ type: OWN_TYPES.recovered, data: recovered }, opened] : [opened];
}

function ownProcess({ pid, host, command }: ProcessInfo): { pid: number; host: string; command: string } {
  return { pid, host, command };
}

/** What is known of a journal that may be written. */
export interface OpeningPlan extends Survey {
  readonly last: LastLine;
  /** Bytes at the end that must go to quarantine first. */
  readonly cut: RecoveryPlan['cut'];
}

/**
 * Reads what an opening must know.
 * @throws OllmError JOURNAL_NEWER_FORMAT, JOURNAL_EDITED, JOURNAL_EMPTY, JOURNAL_DAMAGED
 */
export async function planOpening(
  source: JournalSource,
  file: JournalFile,
  options: OpenWriterOptions,
): Promise<OpeningPlan> {
  refuseUnknownFormat(file, await readFirst(source));
  const survey = await surveyJournal(source, options);
  const { cut, refusal } = planRecovery(survey.damage);
  if (refusal) throw editedError(file, refusal);
  const { last } = survey;
  if (!last) {
    const wasNeverWhole = survey.damage.every(({ kind }) => WRITING_ACTIONS[kind] === 'quarantine');
    throw wasNeverWhole ? emptyError(file) : unreadableError(file);
  }
  return { ...survey, last, cut };
}

/** What an opening found and did. `recovered`: what it cut off. */
export async function reportOpening(
  source: JournalSource,
  { damage, last, cut, epoch, anchored }: OpeningPlan,
  recovered: OpeningReport['recovered'],
  { anchorEpoch }: OpenWriterOptions,
): Promise<OpeningReport> {
  const isTorn = cut !== undefined || damage.some(({ kind }) => kind === 'unterminated');
  return {
    damage,
    recovered,
    clean: last.type === OWN_TYPES.closed && !isTorn,
    epoch: (epoch ?? anchorEpoch ?? (await lastEpoch(source))) + 1,
    anchored,
  };
}

/** @throws OllmError JOURNAL_NEWER_FORMAT */
function refuseUnknownFormat({ id, path }: JournalFile, first: StoredEvent | undefined): void {
  if (first?.type !== OWN_TYPES.created || isKnownFormat(first.data.format)) return;
  const { format, ollm } = first.data;
  const isHigher = typeof format === 'number' && format > FORMAT;
  const version = typeof ollm === 'string' ? `ollm ${ollm}` : 'a newer ollm';
  throw new OllmError(
    'JOURNAL_NEWER_FORMAT',
    `Journal ${id} has format ${JSON.stringify(format) ?? 'none'}, written by ${version}; this version writes format ${FORMAT}.`,
    {
      hint: isHigher
        ? `It can be read here. To write it, get ${typeof ollm === 'string' ? `ollm ${ollm} or newer` : version}.`
        : 'It can be read here. No version of ollm wrote a first line like this.',
      data: { id, path, format, ollm },
    },
  );
}

export async function lockedError(fileSystem: FileSystem, place: JournalFile): Promise<OllmError> {
  const { id, path } = place;
  const holder = await holderAt(fileSystem, place);
  const program = holder.command?.includes('repl') ? 'that REPL' : 'that program';
  return new OllmError('JOURNAL_LOCKED', `Journal ${id} is locked by ${describeHolder(holder)}.`, {
    hint: `Read it with "ollm tail ${id}", or close ${program}.`,
    data: { id, path, holder },
  });
}

export function emptyError({ id, path }: JournalFile): OllmError {
  return new OllmError('JOURNAL_EMPTY', `Journal ${id} is empty: its first line was never written whole. ${path}`, {
    hint: 'Nothing in it was ever acknowledged. Create the session again under this name, or delete it.',
    data: { id, path },
  });
}

function unreadableError({ id, path }: JournalFile): OllmError {
  return new OllmError('JOURNAL_DAMAGED', `No event can be read in journal ${id}, so nothing is added to it: ${path}`, {
    hint: `It is not a journal, or damaged from end to end. Restore it from a backup, or remove it: "ollm delete ${id}".`,
    data: { id, path },
  });
}

function editedError({ id, path }: JournalFile, damage: Damage): OllmError {
  const where = damage.line > 0 ? `line ${damage.line}` : `byte ${damage.offset}`;
  return new OllmError(
    'JOURNAL_EDITED',
    `Journal ${id} was changed by an editor (${where}): ${damage.reason} It can be read, not written. ${path}`,
    { hint: `Run "ollm repair ${id}": it writes a clean copy and keeps this one.`, data: { id, path, damage } },
  );
}

/** What is known of the holder of the lock. */
export async function holderAt(fileSystem: FileSystem, place: JournalFile): Promise<Holder> {
  try {
    const handle = openJournalFile(fileSystem, place, 'read');
    try {
      for await (const batch of inBatches(
        handle,
        readBackwards(handle, () => true),
      )) {
        const holder = holderIn(eventsOf(batch));
        if (holder) return holder;
      }
    } finally {
      handle.close();
    }
  } catch {
    // A journal that is being made, moved or damaged: it is held all the same.
  }
  return { pid: undefined, host: undefined, command: undefined, since: undefined };
}
