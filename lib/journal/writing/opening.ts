// An opening for writing, wherever the journal is kept: what must be known first, the writer, the events that it adds,
// or why it is refused and what to do about it.
import { OllmError } from '../../errors/index.ts';
import type { ProcessInfo } from '../../platform/processes/process-info.ts';
import type { JournalPorts } from '../files/store-context.ts';
import { FORMAT, isKnownFormat, OWN_TYPES } from '../format.ts';
import { planRecovery, type RecoveryPlan, WRITING_ACTIONS } from '../reading/recovery.ts';
import { type JournalSource, readFirst } from '../reading/scan.ts';
import { type JournalSurvey, type LastLine, lastEpoch, surveyJournal } from '../reading/survey.ts';
import type { JournalFile } from '../refusals.ts';
import type { Damage, DataSeal, DurabilityPolicy, OpeningReport, OpenWriterOptions, StoredEvent } from '../types.ts';
import { Appender, type AppenderStart, NOTHING } from './appender.ts';

type OpeningPorts = Pick<JournalPorts, 'clock' | 'log' | 'process'>;

/** Where a writer writes, and the lock that it gives up when it is closed. */
type JournalPlace = Pick<AppenderStart, 'id' | 'committer' | 'lock'>;

/** How a journal is begun. */
export interface NewJournalOptions {
  /** The data of `session.created`. The journal adds format, sessionId, pid, host and command. */
  readonly created: object;
  /** Default: `barrier`. */
  readonly policy?: DurabilityPolicy | undefined;
  readonly seal?: DataSeal | undefined;
}

/** A writer of a journal that has its first line. `syncName` makes the journal's name as safe as that. */
export async function beginJournal(
  ports: OpeningPorts,
  place: JournalPlace,
  { created, policy = 'barrier', seal }: NewJournalOptions,
  syncName = async () => {},
): Promise<Appender> {
  const report = { damage: [], recovered: undefined, clean: true, epoch: 0, anchored: false };
  const writer = new Appender({ ...place, policy, report, head: NOTHING, nextSeq: 0, lastMs: 0, seal }, ports);
  // The caller cannot override what only the journal knows.
  const { format: _format, sessionId: _sessionId, ...details } = created as Record<string, unknown>;
  const data = { format: FORMAT, sessionId: place.id, ...details, ...ownProcess(ports.process) };
  await writer.appendFirst({ type: OWN_TYPES.created, data }, syncName);
  return writer;
}

/** A writer that adds to a journal, after the event of its opening. `recovered`: bytes that were cut off its end. */
export async function continueJournal(
  ports: OpeningPorts,
  place: JournalPlace,
  source: JournalSource,
  plan: OpeningPlan,
  recovered: OpeningReport['recovered'],
  options: OpenWriterOptions,
): Promise<Appender> {
  const { last, nextSeq } = plan;
  const report = await reportOpening(source, plan, recovered, options);
  const { policy = 'barrier', seal } = options;
  const head = { seq: last.seq, offset: place.committer.length, xxh64: last.xxh64 };
  const lastMs = Date.parse(last.ts) || 0;
  const writer = new Appender({ ...place, policy, report, head, nextSeq, lastMs, seal }, ports);
  const { epoch, clean } = report;
  const opened = { type: OWN_TYPES.opened, data: { epoch, clean, ...ownProcess(ports.process) } };
  const events = recovered ? [{ type: OWN_TYPES.recovered, data: recovered }, opened] : [opened];
  await writer.append(events, { durability: 'disk' });
  return writer;
}

function ownProcess({ pid, host, command }: ProcessInfo): { pid: number; host: string; command: string } {
  return { pid, host, command };
}

/** Facts about a journal that may be written. */
interface OpeningPlan extends JournalSurvey {
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

async function reportOpening(
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
