// `ollm verify`: whether journals are whole, line by line, and their faults. Reads only; a session may be in use
// meanwhile.
import { setImmediate as breathe } from 'node:timers/promises';
import { type ErrorCode, isOllmError, OllmError, systemErrorCode } from '../../../errors/index.ts';
import type { decodeEvent } from '../../../events/decode.ts';
import { OWN_TYPES } from '../../../journal/format.ts';
import { everyOutcome } from '../../../journal/reading/outcomes.ts';
import type { Anchor, Batches, Damage, JournalReader, JournalStore } from '../../../journal/types.ts';
import type { AllowedSigner } from '../../../seals/allowed-signers.ts';
import type { SealReport } from '../../../seals/check-seals.ts';
import type { SealLine } from '../../../seals/seals-file.ts';
import { evidenceOfLoss } from '../../../session/saved/evidence.ts';
import { hasOlderSeals } from '../../../stores/sealing/session-keys.ts';
import type { App } from '../../app.ts';
import { archivedIn } from '../../find/find-session.ts';
import { readJournal } from '../../journals/read-journal.ts';

export type VerifyFinding =
  | ({ readonly type: 'damage' } & Damage)
  /** A line that holds, whose content does not fit the schema of its type. Only with `deep`, but for the format. */
  | { readonly type: 'content'; readonly seq: number; readonly offset: number; readonly reason: string }
  /** A snapshot or state file knows a later line than the journal has: acknowledged events were lost. */
  | { readonly type: 'lost'; readonly seq: number; readonly reason: string }
  /** A seal that does not hold, or that none was found. */
  | { readonly type: 'seal'; readonly number?: number; readonly reason: string }
  /** The journal cannot be read at all. */
  | { readonly type: 'unreadable'; readonly code: string; readonly reason: string };

export interface VerifyReport {
  readonly id: string;
  readonly lines: number;
  readonly events: number;
  readonly bytes: number;
  /** Events of types that this version does not know; counted only with `deep`. */
  readonly unknownTypes: number;
  readonly findings: number;
  /** It is encrypted in the older way, in which times, turns and ids can be changed unnoticed. */
  readonly olderSeals?: true | undefined;
  /** Only with `signed`. */
  readonly signed?: SealReport | undefined;
}

export interface VerifySessionsOptions {
  /** Check the seals too. */
  readonly signed?: SealCheck | undefined;
  /** Parse each event and check it against its schema, too. */
  readonly deep?: boolean | undefined;
  /** How many findings of a session are kept; all are counted. */
  readonly maxFindings: number;
  /** Ends the work with INTERRUPTED. */
  readonly signal?: AbortSignal | undefined;
}

export interface SealCheck {
  /** The seals of a session. */
  readonly sealsOf: (id: string) => readonly SealLine[];
  /** Whose seals count. Default: those of any key. */
  readonly signers?: readonly AllowedSigner[] | undefined;
}

/** The findings of one session. */
export interface VerifiedSession {
  readonly report: VerifyReport;
  readonly findings: readonly VerifyFinding[];
}

type Stored = Pick<App, 'store' | 'log'>;
type Report = (finding: VerifyFinding) => void;
type Decode = typeof decodeEvent;

/**
 * Each session with its findings, in the order of `ids`, which are of journals that exist. A refusal of the disk or the
 * store is a finding too, and so is a fault of ollm: the next journal is checked all the same.
 *
 * @example
 * for await (const { report, findings } of verifySessions(app, ['notes', 'walk'], { maxFindings: 100 })) …
 * @throws OllmError INTERRUPTED
 */
export async function* verifySessions(
  app: Stored,
  ids: readonly string[],
  options: VerifySessionsOptions,
): AsyncGenerator<VerifiedSession, void, void> {
  for (const id of ids) {
    await breathe();
    if (options.signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
    yield await verifySession(app, id, options);
  }
}

async function verifySession(
  app: Stored,
  id: string,
  { deep, signed, maxFindings, signal }: VerifySessionsOptions,
): Promise<VerifiedSession> {
  const decode = deep ? (await import('../../../events/decode.ts')).decodeEvent : undefined;
  const findings: VerifyFinding[] = [];
  let total = 0;
  const report: Report = (finding) => {
    total += 1;
    if (findings.length < maxFindings) findings.push(finding);
  };
  try {
    const counted =
      (await reportRefusal(report, () => readSession(app, id, { report, decode, signed, signal }))) ?? NOTHING;
    return { report: { id, ...counted, findings: total }, findings };
  } catch (error) {
    if (signal?.aborted) throw error;
    app.log.error({ service: 'verify', operation: 'check', id, error }, 'The check of a session broke off');
    return brokenOff(id, error instanceof Error ? error.message : String(error));
  }
}

/** Nothing is known of the session, and it is not fine. */
function brokenOff(id: string, reason: string): VerifiedSession {
  const finding: VerifyFinding = { type: 'unreadable', code: 'INTERNAL', reason: `The check broke off: ${reason}` };
  return { report: { id, ...NOTHING, findings: 1 }, findings: [finding] };
}

type Counted = Omit<VerifyReport, 'id' | 'findings'>;
const NOTHING: Counted = { lines: 0, events: 0, bytes: 0, unknownTypes: 0 };

interface Reading {
  readonly report: Report;
  readonly decode: Decode | undefined;
  readonly signed: SealCheck | undefined;
  readonly signal: AbortSignal | undefined;
}

async function readSession({ store }: Stored, id: string, reading: Reading): Promise<Counted> {
  const { report, decode, signed, signal } = reading;
  const { id: session, archive } = archivedIn(id) ?? { id, archive: undefined };
  const check = async (reader: JournalReader): Promise<Counted> => {
    const { lines, events, bytes, head } = await reader.verify({
      signal,
      onDamage: (damage) => report({ type: 'damage', ...damage }),
    });
    if (bytes === 0) report({ type: 'unreadable', code: 'JOURNAL_EMPTY', reason: 'The file is empty.' });
    // Derived files are those of the present journal.
    if (archive === undefined) await reportRefusal(report, () => checkWitnesses(store, id, head, report));
    if (decode === undefined) await reportRefusal(report, () => checkFormat(reader, report));
    // The content of an encrypted session cannot be checked without its key.
    const contents = decode && (() => checkContents(reader.outcomes({ signal }), report, decode));
    const unknownTypes = (contents && (await reportRefusal(report, contents))) ?? 0;
    const seals = signed && (await reportRefusal(report, () => checkSigned(reader, signed, reading)));
    return {
      ...{ lines, events, bytes, unknownTypes },
      ...((await isOfOlderSeals(reader)) && { olderSeals: true }),
      ...(seals && { signed: seals }),
    };
  };
  return readJournal(store, session, check, archive);
}

async function checkSigned(
  reader: JournalReader,
  { sealsOf, signers }: SealCheck,
  { report, signal }: Reading,
): Promise<SealReport> {
  const { checkSeals } = await import('../../../seals/check-seals.ts');
  const lines = sealsOf(reader.id);
  const seals = await checkSeals(lines, reader, { session: reader.id, signers, signal });
  for (const { number, problem, stranger } of seals.seals) {
    if (problem !== undefined && !stranger) report({ type: 'seal', number, reason: problem });
  }
  if (seals.seals.every(({ stranger }) => stranger)) {
    const whose = lines.length === 0 ? '' : ' of an allowed signer';
    report({ type: 'seal', reason: `The journal has no seal${whose}.` });
  }
  return seals;
}

/** What refuses the first line is a finding of the other checks. */
async function isOfOlderSeals(reader: JournalReader): Promise<boolean> {
  try {
    return hasOlderSeals(await reader.first());
  } catch (error) {
    if (isOllmError(error) || systemErrorCode(error) !== undefined) return false;
    throw error;
  }
}

/** Undefined if the disk or the store refuses. Faults in the program pass through. */
async function reportRefusal<Result>(report: Report, check: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await check();
  } catch (error) {
    if (isOllmError(error, 'INTERRUPTED')) throw error;
    if (!isOllmError(error) && systemErrorCode(error) === undefined) throw error;
    const code: ErrorCode = isOllmError(error) ? error.code : 'IO_FAILED';
    report({ type: 'unreadable', code, reason: (error as Error).message });
    return undefined;
  }
}

async function checkWitnesses(
  store: JournalStore,
  id: string,
  head: Anchor | undefined,
  report: Report,
): Promise<void> {
  for (const { kind, known } of await evidenceOfLoss(store, id, head)) {
    const reason = `The ${kind} file has seen event ${known.seq}, and the journal ends at event ${head?.seq ?? -1}.`;
    report({ type: 'lost', seq: known.seq, reason });
  }
}

/** With `deep`, the schema of the first line finds that. */
async function checkFormat(reader: JournalReader, report: Report): Promise<void> {
  const first = await reader.first();
  if (first?.type !== OWN_TYPES.created) return;
  const { format } = first.data;
  // A higher one is that of a newer program, and what can be checked here is whole.
  if (typeof format === 'number' && Number.isInteger(format) && format >= 1) return;
  const reason = `session.created: the format is ${JSON.stringify(format) ?? 'not there'}, and not a whole number from 1`;
  report({ type: 'content', seq: first.seq, offset: first.offset, reason });
}

async function checkContents(outcomes: Batches, report: Report, decode: Decode): Promise<number> {
  let unknownTypes = 0;
  await everyOutcome(outcomes, (outcome) => {
    // The only damage that shows only with the key.
    if (outcome.kind === 'damage' && outcome.damage.kind === 'bad-seal') report({ type: 'damage', ...outcome.damage });
    if (outcome.kind === 'damage') return;
    const { seq, offset } = outcome.event;
    const decoded = decode(outcome.event);
    if (decoded.kind === 'unknown') unknownTypes += 1;
    if (decoded.kind === 'invalid') report({ type: 'content', seq, offset, reason: decoded.reason });
  });
  return unknownTypes;
}
