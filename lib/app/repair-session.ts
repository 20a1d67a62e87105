// `ollm repair ID`: a whole journal in place of a damaged one. Every line that holds is taken over as it stands; the
// damaged file stays in archive/.
import type { Damage } from '../journal/types.ts';
import type { App } from './app.ts';
import { openForReading } from './reading.ts';
import { resolveId } from './resolve-id.ts';

export interface RepairReport {
  readonly id: string;
  readonly findings: readonly Damage[];
  /** Lines that hold. */
  readonly kept: number;
  /** Name of the damaged journal under archive/; undefined if nothing was changed. */
  readonly archive: string | undefined;
}

/** A journal without findings is left alone. @throws OllmError SESSION_*, JOURNAL_LOCKED, JOURNAL_READ_ONLY, JOURNAL_FULL */
export async function repairSession(
  app: App,
  reference: string,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<RepairReport> {
  const id = resolveId(app, reference);
  const findings: Damage[] = [];
  const reader = openForReading(app, id);
  let kept: number;
  try {
    kept = reader.verify((damage) => findings.push(damage)).events;
  } finally {
    reader.close();
  }
  if (dryRun || findings.length === 0) return { id, findings, kept, archive: undefined };
  return { id, ...(await app.store.repair(id)) };
}
