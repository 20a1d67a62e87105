// Removes sessions that are too many or too old. A session that is open, cannot be read, is damaged or comes from a
// newer version stays.
import { setImmediate as breathe } from 'node:timers/promises';
import { isOllmError } from '../errors/index.ts';
import type { JournalFileInfo, JournalStore } from '../journal/types.ts';
import type { SummaryRow } from '../projections/summary.ts';
import { planRetention, type RetentionRules } from './retention.ts';
import { type Surveyed, survey } from './survey.ts';

export interface PruneOptions extends RetentionRules {
  readonly dryRun?: boolean | undefined;
  /** Removed for good instead of moved to the trash. */
  readonly purge?: boolean | undefined;
  /** Summaries of sessions that are known to be whole, so that they need not be read. */
  readonly known?: ((infos: readonly JournalFileInfo[]) => Promise<ReadonlyMap<string, SummaryRow>>) | undefined;
  /** Once it is aborted, the sessions that are still there stay. */
  readonly stop?: AbortSignal | undefined;
  /** The sessions that the caller has open itself: they may go, after `release`. */
  readonly own?: { has(id: string): boolean; release(id: string): Promise<void> } | undefined;
}

export interface PruneReport {
  readonly removed: readonly {
    readonly id: string;
    readonly title: string | undefined;
    readonly lastActivity: string;
    /** Size of its journal. */
    readonly bytes: number;
  }[];
  /** Those that would have gone, and why they stay. */
  readonly spared: readonly { readonly id: string; readonly reason: string }[];
  readonly dryRun: boolean;
}

/** A survey takes about 0.1 ms; other work may run in between. */
const SURVEYED_AT_ONCE = 32;

export async function pruneStore(store: JournalStore, options: PruneOptions): Promise<PruneReport> {
  const { dryRun = false, stop, own } = options;
  const sessions = await surveyed(store, options);
  const plan = planRetention(sessions, options);
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const removed: PruneReport['removed'][number][] = [];
  const spared = [...plan.spared];
  for (const id of plan.remove) {
    if (stop?.aborted) break;
    if (!dryRun) await own?.release(id);
    const refusal = dryRun ? undefined : await remove(store, id, options);
    if (refusal !== undefined) spared.push({ id, reason: refusal });
    else {
      const { title, lastActivityMs = 0, bytes = 0 } = byId.get(id) ?? {};
      removed.push({ id, title, lastActivity: new Date(lastActivityMs).toISOString(), bytes });
    }
  }
  return { removed, spared, dryRun };
}

/** Empty if there are not too many, whatever they are, or the caller does not wait any more. */
async function surveyed(
  store: JournalStore,
  { keep, olderThanMs, known, stop, own }: PruneOptions,
): Promise<Surveyed[]> {
  const infos = await store.list();
  if (olderThanMs === undefined && infos.length <= (keep ?? Number.POSITIVE_INFINITY)) return [];
  const summaries = await known?.(infos);
  const sessions: Surveyed[] = [];
  for (const info of infos) {
    if (stop?.aborted) return [];
    const session = await survey(store, info, summaries?.get(info.id));
    sessions.push(own?.has(info.id) ? { ...session, isEmpty: false, protection: undefined } : session);
    if (sessions.length % SURVEYED_AT_ONCE === 0) await breathe();
  }
  return sessions;
}

/** Why it could not be removed; undefined if it was. */
async function remove(store: JournalStore, id: string, { purge = false }: PruneOptions): Promise<string | undefined> {
  try {
    const { entry } = await store.trash(id);
    if (purge) await store.purge(entry);
    return undefined;
  } catch (error) {
    if (isOllmError(error)) return error.message;
    throw error;
  }
}
