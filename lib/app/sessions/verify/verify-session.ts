// `ollm verify`: whether a journal is whole, line by line, and what is not. Reads only; a live session may go on.
import { type ErrorCode, isOllmError, systemErrorCode } from '../../../errors/index.ts';
import type { decodeEvent } from '../../../events/decode.ts';
import type { Anchor, Damage, JournalReader, JournalStore } from '../../../journal/types.ts';
import { evidenceOfLoss } from '../../../session/evidence.ts';
import type { App } from '../../app.ts';

export type Finding =
  | ({ readonly type: 'damage' } & Damage)
  /** A line that holds, whose content does not fit the schema of its type. Only with `deep`. */
  | { readonly type: 'content'; readonly seq: number; readonly offset: number; readonly reason: string }
  /** A snapshot or state file knows a later line than the journal has: acknowledged events were lost. */
  | { readonly type: 'lost'; readonly seq: number; readonly reason: string }
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
}

export interface VerifyOptions {
  /** Also parse each event and hold it against its schema. */
  readonly deep?: boolean | undefined;
  /** How many of the findings are kept; all are counted. */
  readonly maxFindings: number;
}

/** What is known of a session once it was gone through. Plain values: it may come from another thread. */
export interface VerifiedSession {
  readonly report: VerifyReport;
  readonly findings: readonly Finding[];
}

type Stored = Pick<App, 'store'>;
type Tell = (finding: Finding) => void;
type Decode = typeof decodeEvent;

/** `id`: of a journal that is there. What the disk or the store refuses is a finding too: the next journal is another. */
export async function examineSession(
  app: Stored,
  id: string,
  { deep, maxFindings }: VerifyOptions,
): Promise<VerifiedSession> {
  const decode = deep ? (await import('../../../events/decode.ts')).decodeEvent : undefined;
  const findings: Finding[] = [];
  let total = 0;
  const tell: Tell = (finding) => {
    total += 1;
    if (findings.length < maxFindings) findings.push(finding);
  };
  const counted = toldAsFinding(tell, () => readSession(app, id, tell, decode)) ?? NOTHING;
  return { report: { id, ...counted, findings: total }, findings };
}

/** A session whose check broke off by a fault of ours: nothing is known of it, and it is not fine. */
export function brokenOff(id: string, reason: string): VerifiedSession {
  const finding: Finding = { type: 'unreadable', code: 'INTERNAL', reason: `The check broke off: ${reason}` };
  return { report: { id, ...NOTHING, findings: 1 }, findings: [finding] };
}

type Counted = Omit<VerifyReport, 'id' | 'findings'>;
const NOTHING: Counted = { lines: 0, events: 0, bytes: 0, unknownTypes: 0 };

function readSession({ store }: Stored, id: string, tell: Tell, decode: Decode | undefined): Counted {
  const reader = store.openReader(id);
  try {
    const { lines, events, bytes, head } = reader.verify((damage) => tell({ type: 'damage', ...damage }));
    if (bytes === 0) tell({ type: 'unreadable', code: 'JOURNAL_EMPTY', reason: 'The file is empty.' });
    toldAsFinding(tell, () => checkWitnesses(store, id, head, tell));
    // Without its key, nothing can be said of what an encrypted session holds.
    const unknownTypes = (decode && toldAsFinding(tell, () => checkContents(reader, tell, decode))) ?? 0;
    return { lines, events, bytes, unknownTypes };
  } finally {
    reader.close();
  }
}

/** Undefined where it is refused. A fault in the program is none of what is looked for, and passes through. */
function toldAsFinding<Result>(tell: Tell, check: () => Result): Result | undefined {
  try {
    return check();
  } catch (error) {
    if (!isOllmError(error) && systemErrorCode(error) === undefined) throw error;
    const code: ErrorCode = isOllmError(error) ? error.code : 'IO_FAILED';
    tell({ type: 'unreadable', code, reason: (error as Error).message });
    return undefined;
  }
}

function checkWitnesses(store: JournalStore, id: string, head: Anchor | undefined, tell: Tell): void {
  for (const { kind, known } of evidenceOfLoss(store, id, head)) {
    const reason = `The ${kind} file has seen event ${known.seq}, and the journal ends at event ${head?.seq ?? -1}.`;
    tell({ type: 'lost', seq: known.seq, reason });
  }
}

function checkContents(reader: JournalReader, tell: Tell, decode: Decode): number {
  let unknownTypes = 0;
  for (const outcome of reader.outcomes()) {
    // The only damage that shows no sooner than with the key.
    if (outcome.kind === 'damage' && outcome.damage.kind === 'bad-seal') tell({ type: 'damage', ...outcome.damage });
    if (outcome.kind === 'damage') continue;
    const decoded = decode(outcome.event);
    if (decoded.kind === 'unknown') unknownTypes += 1;
    if (decoded.kind !== 'invalid') continue;
    tell({ type: 'content', seq: decoded.event.seq, offset: decoded.event.offset, reason: decoded.reason });
  }
  return unknownTypes;
}
