// Which sessions have to go when there are too many or they are too old. Pure: it names them, somebody else moves them
// to the trash. What is protected (open, unreadable, from a newer version) is never named, however old it is.

export interface Candidate {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly lastActivityMs: number;
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

export interface RetentionPlan {
  /** Ids, oldest first. */
  readonly remove: readonly string[];
  readonly spared: readonly { readonly id: string; readonly reason: string }[];
}

export function planRetention(candidates: readonly Candidate[], rules: RetentionRules): RetentionPlan {
  const { keep = Number.POSITIVE_INFINITY, olderThanMs = Number.POSITIVE_INFINITY, now } = rules;
  const oldestFirst = [...candidates].sort((a, b) => a.lastActivityMs - b.lastActivityMs || (a.id < b.id ? -1 : 1));
  const remove: string[] = [];
  const spared: { id: string; reason: string }[] = [];
  for (const { id, lastActivityMs, protection } of oldestFirst) {
    const tooMany = candidates.length - remove.length > keep;
    const tooOld = now - lastActivityMs > olderThanMs;
    if (!tooMany && !tooOld) continue;
    if (protection === undefined) remove.push(id);
    else spared.push({ id, reason: protection });
  }
  return { remove, spared };
}
