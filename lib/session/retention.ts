// Which sessions have to go when there are too many or they are too old. Pure: it names them, its caller moves them to
// the trash. Protected sessions (open, unreadable, from a newer version) are never named, however old they are.

const HOUR_MS = 3_600_000;

export interface Candidate {
  readonly id: string;
  /** Milliseconds since 1970: the last message or call. */
  readonly lastActivityMs: number;
  /**
   * Milliseconds since 1970: when its file was last written, or brought back from the trash. Default: the last
   * activity.
   */
  readonly usedMs?: number | undefined;
  /** Nothing was said in it, and a crash left it: it does not count towards those that are kept. */
  readonly isEmpty?: boolean | undefined;
  /** Why it may not be removed. */
  readonly protection?: string | undefined;
}

export interface RetentionRules {
  /** How many stay. */
  readonly keep?: number | undefined;
  readonly olderThanMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface RetentionPlan {
  /** Ids, oldest first. */
  readonly remove: readonly string[];
  readonly spared: readonly { readonly id: string; readonly reason: string }[];
}

export function planRetention(candidates: readonly Candidate[], rules: RetentionRules): RetentionPlan {
  const { keep = Number.POSITIVE_INFINITY, olderThanMs = Number.POSITIVE_INFINITY, now } = rules;
  const oldestFirst = [...candidates].sort(byUse);
  const counted = candidates.filter(({ isEmpty }) => !isEmpty).length;
  const remove: string[] = [];
  const spared: { id: string; reason: string }[] = [];
  let removedOfCounted = 0;
  for (const candidate of oldestFirst) {
    const { id, protection, isEmpty = false } = candidate;
    const tooMany = !isEmpty && counted - removedOfCounted > keep;
    const tooOld = now - usedMsOf(candidate) > olderThanMs;
    if (!tooMany && !tooOld) continue;
    if (protection !== undefined) spared.push({ id, reason: protection });
    else {
      remove.push(id);
      if (!isEmpty) removedOfCounted += 1;
    }
  }
  return { remove, spared };
}

/** Files that were copied together have the same times within the hour: their last activity says which is the older. */
function byUse(a: Candidate, b: Candidate): number {
  const hours = Math.floor(usedMsOf(a) / HOUR_MS) - Math.floor(usedMsOf(b) / HOUR_MS);
  return hours || a.lastActivityMs - b.lastActivityMs || (a.id < b.id ? -1 : 1);
}

function usedMsOf({ lastActivityMs, usedMs = lastActivityMs }: Candidate): number {
  return Math.max(lastActivityMs, usedMs);
}
