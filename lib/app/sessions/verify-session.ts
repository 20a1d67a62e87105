// `ollm verify`: whether a journal is whole, line by line, and what is not. Reads only; a live session may go on.
import { isOllmError } from '../../errors/index.ts';
import { decodeEvent } from '../../events/decode.ts';
import type { Anchor, Damage, JournalReader } from '../../journal/types.ts';
import { evidenceOfLoss } from '../../session/evidence.ts';
import type { App } from '../app.ts';

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
  readonly onFinding?: ((finding: Finding) => void) | undefined;
}

/** `id`: of a journal that is there. Never throws for what it finds. */
export function verifySession(app: App, id: string, { deep, onFinding }: VerifyOptions = {}): VerifyReport {
  let findings = 0;
  const report = (finding: Finding): void => {
    findings += 1;
    onFinding?.(finding);
  };
  const nothing = { id, lines: 0, events: 0, bytes: 0, unknownTypes: 0 };
  let reader: JournalReader;
  try {
    reader = app.store.openReader(id);
  } catch (error) {
    if (!isOllmError(error)) throw error;
    report({ type: 'unreadable', code: error.code, reason: error.message });
    return { ...nothing, findings };
  }
  try {
    const { lines, events, bytes, head } = reader.verify((damage) => report({ type: 'damage', ...damage }));
    if (bytes === 0) report({ type: 'unreadable', code: 'JOURNAL_EMPTY', reason: 'The file is empty.' });
    checkWitnesses(app, id, head, report);
    const unknownTypes = deep ? checkContentsIfOpen(reader, report) : 0;
    return { id, lines, events, bytes, unknownTypes, findings };
  } finally {
    reader.close();
  }
}

function checkWitnesses(app: App, id: string, head: Anchor | undefined, report: (finding: Finding) => void): void {
  for (const { kind, known } of evidenceOfLoss(app.store, id, head)) {
    const reason = `The ${kind} file has seen event ${known.seq}, and the journal ends at event ${head?.seq ?? -1}.`;
    report({ type: 'lost', seq: known.seq, reason });
  }
}

/** Without its key, nothing can be said of what an encrypted session holds. */
function checkContentsIfOpen(reader: JournalReader, report: (finding: Finding) => void): number {
  try {
    return checkContents(reader, report);
  } catch (error) {
    if (!isOllmError(error)) throw error;
    report({ type: 'unreadable', code: error.code, reason: error.message });
    return 0;
  }
}

function checkContents(reader: JournalReader, report: (finding: Finding) => void): number {
  let unknownTypes = 0;
  for (const outcome of reader.outcomes()) {
    // The only damage that shows no sooner than with the key.
    if (outcome.kind === 'damage' && outcome.damage.kind === 'bad-seal') report({ type: 'damage', ...outcome.damage });
    if (outcome.kind === 'damage') continue;
    const decoded = decodeEvent(outcome.event);
    if (decoded.kind === 'unknown') unknownTypes += 1;
    if (decoded.kind !== 'invalid') continue;
    report({ type: 'content', seq: decoded.event.seq, offset: decoded.event.offset, reason: decoded.reason });
  }
  return unknownTypes;
}
