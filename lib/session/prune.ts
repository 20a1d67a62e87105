// Removes sessions that are too many or too old. A session that is open, cannot be read, is damaged or comes from a
// newer version stays. Imports are not counted, and are removed only by an age of their own.
import { setImmediate as breathe } from 'node:timers/promises';
import { isOllmError } from '../errors/index.ts';
import { FORMAT } from '../journal/format.ts';
import type { JournalFileInfo, JournalStore } from '../journal/types.ts';
import type { SummaryRow } from '../projections/summary.ts';
import { isImport } from './is-import.ts';
import { type Candidate, planRetention, type RetentionRules } from './retention.ts';
import { type SessionSummary, summarize } from './summarize.ts';

export interface PruneOptions extends RetentionRules {
  readonly dryRun?: boolean | undefined;
  /** Removed permanently instead of moved to the trash: then no import goes. */
  readonly purge?: boolean | undefined;
  /** Imports that were not used for longer go to the trash. Default: none. */
  readonly importsOlderThanMs?: number | undefined;
  /** Summaries of sessions that are known to be whole, so that they need not be read. */
  readonly known?: ((infos: readonly JournalFileInfo[]) => Promise<ReadonlyMap<string, SummaryRow>>) | undefined;
  /** How many are removed at most; the others stay for another time. Default: all. */
  readonly most?: number | undefined;
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
  /** Sessions that would have been removed, with the reason why they stay. */
  readonly spared: readonly { readonly id: string; readonly reason: string }[];
  /** How many more would have gone, but for `most` or `stop`. */
  readonly left: number;
  readonly dryRun: boolean;
}

type PruneCandidate = Candidate & { readonly title: string | undefined; readonly bytes: number };

/** Looking at one takes about 0.1 ms; other work may run in between. */
const CANDIDATES_AT_ONCE = 32;

export async function pruneStore(store: JournalStore, options: PruneOptions): Promise<PruneReport> {
  const { dryRun = false, most = Number.POSITIVE_INFINITY, stop, own } = options;
  const { own: sessions, imports } = await candidatesIn(store, options);
  const plans = [
    planRetention(sessions, options),
    planRetention(imports, { now: options.now, olderThanMs: options.importsOlderThanMs }),
  ];
  const byId = new Map([...sessions, ...imports].map((session) => [session.id, session]));
  const removed: PruneReport['removed'][number][] = [];
  const spared = plans.flatMap((plan) => plan.spared);
  const ids = plans.flatMap((plan) => plan.remove);
  let left = ids.length;
  for (const id of ids) {
    if (stop?.aborted || removed.length >= most) break;
    left -= 1;
    if (!dryRun) await own?.release(id);
    const refusal = dryRun ? undefined : await remove(store, id, options);
    if (refusal !== undefined) spared.push({ id, reason: refusal });
    else {
      const { title, lastActivityMs, bytes } = byId.get(id)!;
      removed.push({ id, title, lastActivity: new Date(lastActivityMs).toISOString(), bytes });
    }
  }
  return { removed, spared, left, dryRun };
}

interface Candidates {
  readonly own: readonly PruneCandidate[];
  readonly imports: readonly PruneCandidate[];
}

const NO_CANDIDATES: Candidates = { own: [], imports: [] };

/** Empty if there are not too many of any kind, or the caller does not wait any more. */
async function candidatesIn(
  store: JournalStore,
  { keep, olderThanMs, importsOlderThanMs, purge, known, stop, own }: PruneOptions,
): Promise<Candidates> {
  const takesImports = importsOlderThanMs !== undefined && purge !== true;
  const infos = await store.list();
  const areFew = olderThanMs === undefined && infos.length <= (keep ?? Number.POSITIVE_INFINITY);
  if (areFew && !takesImports) return NO_CANDIDATES;
  const summaries = await known?.(infos);
  const found = { own: [] as PruneCandidate[], imports: [] as PruneCandidate[] };
  for (const [index, info] of infos.entries()) {
    if (stop?.aborted) return NO_CANDIDATES;
    if (index % CANDIDATES_AT_ONCE === CANDIDATES_AT_ONCE - 1) await breathe();
    const isOfImport = await isImport(store, info.id);
    if (isOfImport && !takesImports) continue;
    const session = await candidateOf(store, info, summaries?.get(info.id));
    const candidate = own?.has(info.id) ? { ...session, isEmpty: false, protection: undefined } : session;
    (isOfImport ? found.imports : found.own).push(candidate);
  }
  return found;
}

/**
 * When a session was last used, and whether something protects it. `known`: the summary of a session that is known to
 * be whole.
 */
async function candidateOf(store: JournalStore, info: JournalFileInfo, known?: SummaryRow): Promise<PruneCandidate> {
  const { id, bytes, modifiedMs } = info;
  try {
    const found = known === undefined ? await summarize(store, id) : undefined;
    const summary = known ?? found!.summary;
    const isOpen = !(known?.closed ?? false) && (await store.holder(id)) !== undefined;
    const lastActivityMs = Date.parse(summary.lastActivity);
    const protection = isOpen ? 'It is open.' : found && protectionOf(found);
    return {
      id,
      bytes,
      title: summary.title,
      lastActivityMs: Number.isNaN(lastActivityMs) ? modifiedMs : lastActivityMs,
      usedMs: modifiedMs,
      isEmpty: protection === undefined && isEmpty(summary),
      protection,
    };
  } catch (error) {
    const reason = isOllmError(error) ? error.message : String(error);
    const protection = `It cannot be read: ${reason}`;
    return { id, bytes, title: undefined, lastActivityMs: modifiedMs, isEmpty: bytes === 0, protection };
  }
}

/** What a crash leaves of a session that was only opened: one that was left in order without a word is removed then. */
function isEmpty({ closed, turnCount, messageCount, title, parent }: SummaryRow): boolean {
  return !closed && turnCount === 0 && messageCount <= 1 && title === undefined && parent === undefined;
}

function protectionOf({ format, events, damaged }: SessionSummary): string | undefined {
  if (format > FORMAT) return `It comes from a newer version (format ${format}).`;
  if (events === 0) return 'Nothing in it can be read.';
  if (damaged > 0) return 'It is damaged: repair it or delete it by hand.';
  return undefined;
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
