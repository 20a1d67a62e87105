// `ollm audit ID`: every call of a tool in a session, only from its journal. Damage is counted and skipped; lost
// records show as findings of the calls around it.
import type { Damage, EventReader } from '../../../journal/types.ts';
import { type AuditedCall, auditFold, findingsOf } from '../../../projections/audit.ts';
import { replay } from '../../../projections/replay.ts';
import type { App } from '../../app.ts';
import { findConversation, type ReadingOptions } from '../../find/find-session.ts';

export interface AuditRow extends AuditedCall {
  /** Faults, each as a sentence. */
  readonly findings: readonly string[];
}

export interface AuditReport {
  readonly id: string;
  /** In the order of the journal. */
  readonly calls: readonly AuditRow[];
  /** The first of what could not be read; `damaged` counts all. */
  readonly damage: readonly Damage[];
  readonly damaged: number;
}

const MAX_DAMAGE_REPORTED = 100;

/**
 * @example
 * const { calls } = await auditSession(app, '@last');
 * calls.filter(({ findings }) => findings.length > 0);
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE
 */
export async function auditSession(
  app: App,
  reference: string,
  { signal, imported }: ReadingOptions & { readonly signal?: AbortSignal } = {},
): Promise<AuditReport> {
  const { read } = await findConversation(app, reference, { imported, archived: true });
  return read((reader) => auditConversation(reader, { signal }));
}

/** Audits any conversation. */
export async function auditConversation(
  reader: EventReader,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<AuditReport> {
  const damage: Damage[] = [];
  const onDamage = (found: Damage) => {
    if (damage.length < MAX_DAMAGE_REPORTED) damage.push(found);
  };
  const { states, counts } = await replay(reader, { audit: auditFold }, { signal, onDamage });
  const calls = states.audit.calls.map((call) => ({ ...call, findings: findingsOf(call) }));
  return { id: reader.id, calls, damage, damaged: counts.damaged };
}
