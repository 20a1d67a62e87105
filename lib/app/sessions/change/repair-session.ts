// `ollm repair ID`: a whole journal in place of a damaged one. Every line that holds is taken over as it is; the
// damaged file stays in archive/.
import { everyEvent } from '../../../journal/reading/outcomes.ts';
import type { Damage, JournalReader } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import { findSession } from '../../find/find-session.ts';

export interface RepairReport {
  readonly id: string;
  readonly findings: readonly Damage[];
  /** Events that the repaired journal holds of the damaged one, or would hold. */
  readonly kept: number;
  /** Name of the damaged journal under archive/; undefined if nothing was changed. */
  readonly archive: string | undefined;
}

/**
 * A journal without findings is left unchanged. @throws OllmError SESSION_*, JOURNAL_LOCKED, JOURNAL_READ_ONLY,
 * JOURNAL_FULL
 */
export async function repairSession(
  app: App,
  reference: string,
  { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal?: AbortSignal } = {},
): Promise<RepairReport> {
  const { id, read } = await findSession(app, reference);
  const findings: Damage[] = [];
  const kept = await read(async (reader) => {
    const { events } = await reader.verify({ onDamage: (damage) => findings.push(damage), signal });
    // A line that exists twice is kept once.
    return findings.some(({ kind }) => kind === 'duplicate') ? distinctEvents(reader) : events;
  });
  if (dryRun || findings.length === 0) return { id, findings, kept, archive: undefined };
  return { id, ...(await app.store.repair(id)) };
}

async function distinctEvents(reader: JournalReader): Promise<number> {
  const checksums = new Set<string>();
  await everyEvent(reader.outcomes(), ({ xxh64 }) => checksums.add(xxh64));
  return checksums.size;
}
