// The versions of each context entry that models were sent, with the event from which each holds, including replaced
// and removed ones. So a request can repeat the text of earlier requests, and add only changes since
// (context/placed.ts). A current version has no text here: that is in the list of entries.
import type { ContextEntry, ContextState } from './context.ts';
import type { Timeline, TimelineSpan } from './timeline.ts';

export interface ContextVersion {
  readonly key: string;
  /** From this event on it holds. */
  readonly seq: number;
  /** Where it is among entries of its priority: the seq at which the first of its versions there came. */
  readonly place: number;
  /** Up to the event before this one. Absent: it still holds. */
  until?: number;
  /** Only of one that no longer holds. */
  entry?: ContextEntry;
}

export interface ContextVersions {
  /** In the order in which they came. */
  versions: ContextVersion[];
  /** seq from which all of them are kept: older ones were dropped. */
  completeFrom: number;
}

interface Versioned {
  readonly context: ContextState;
  readonly shown: ContextVersions;
}

export function noVersions(): ContextVersions {
  return { versions: [], completeFrom: 0 };
}

export interface ContextChange {
  readonly seq: number;
  /** seq of the newest event before it that a request shows. */
  readonly saidTo: number;
  /**
   * Whether the user removed the entry: then no request includes its text any more, neither the current one nor earlier
   * versions.
   */
  readonly takesOut: (key: string) => boolean;
}

/**
 * Moves the versions on after a change, before which the entries were `before`. Of an entry that may not instruct,
 * earlier versions that did are taken out.
 */
export function keepVersions(
  { context, shown }: Versioned,
  before: readonly ContextEntry[],
  { seq, saidTo, takesOut }: ContextChange,
): void {
  for (const old of before) {
    const now = context.entries.find(({ key }) => key === old.key);
    if (now !== undefined && isSameText(now, old)) continue;
    const version = shown.versions.findLast(({ key }) => key === old.key)!;
    version.until = seq;
    version.entry = old;
  }
  const instructed = new Set(shown.versions.flatMap(({ key, entry }) => (entry?.trusted ? [key] : [])));
  const isBarred = (key: string) =>
    context.entries.some((now) => now.key === key && !now.trusted && instructed.has(key));
  shown.versions = shown.versions.filter(({ key }) => !takesOut(key) && !isBarred(key));
  // A version that came and went with no message in between was sent to no model.
  shown.versions = shown.versions.filter(({ seq: from, until }) => until === undefined || until > from);
  for (const { key, priority } of context.entries) {
    const last = shown.versions.findLast((version) => version.key === key);
    if (last !== undefined && last.until === undefined) continue;
    const now = context.entries.find((entry) => entry.key === key)!;
    if (last?.entry !== undefined && last.until! > saidTo && isSameText(last.entry, now)) {
      delete last.until;
      delete last.entry;
      continue;
    }
    const isInPlace = before.some((entry) => entry.key === key && entry.priority === priority);
    shown.versions.push({ key, seq, place: isInPlace && last !== undefined ? last.place : seq });
  }
}

/** The entries after the event at `seq`, in their order. */
export function contextAt({ context, shown }: Versioned, seq: number): readonly ContextEntry[] {
  return shown.versions
    .filter((version) => version.seq <= seq && !(version.until !== undefined && version.until <= seq))
    .flatMap((version) => {
      const entry = version.entry ?? context.entries.find(({ key }) => key === version.key);
      return entry === undefined ? [] : [{ entry, place: version.place }];
    })
    .sort((left, right) => right.entry.priority - left.entry.priority || left.place - right.place)
    .map(({ entry }) => entry);
}

/** The events after `seq` with which an entry came, changed or left, oldest first. */
export function contextChanges({ shown }: Pick<Versioned, 'shown'>, seq: number): readonly number[] {
  const all = shown.versions.flatMap(({ seq: from, until }) => (until === undefined ? [from] : [from, until]));
  return [...new Set(all)].filter((each) => each > seq).sort((left, right) => left - right);
}

/** Drops the oldest replaced versions if they have more than `capTokens` tokens. */
export function trimVersions(shown: ContextVersions, capTokens: number): void {
  let left = capTokens;
  const ended = shown.versions.filter(({ until }) => until !== undefined).sort((a, b) => b.until! - a.until!);
  const gone = new Set(
    ended.filter(({ entry }) => {
      left -= entry?.tokens.count ?? 0;
      return left < 0;
    }),
  );
  if (gone.size === 0) return;
  shown.versions = shown.versions.filter((version) => !gone.has(version));
  shown.completeFrom = Math.max(shown.completeFrom, ...[...gone].map(({ until }) => until!));
}

/**
 * The event up to which all changes are part of the beginning of a request: those before the first message, and those
 * that a compaction gathered there.
 */
export function gatheredTo({
  timeline,
  begunAt = Number.POSITIVE_INFINITY,
  shown,
}: {
  readonly timeline: Pick<Timeline<never, TimelineSpan>, 'goneBefore'>;
  readonly begunAt?: number;
  readonly shown: ContextVersions;
}): number {
  return Math.max(begunAt, timeline.goneBefore, shown.completeFrom);
}

function isSameText(left: ContextEntry, right: ContextEntry): boolean {
  return (
    left.content === right.content &&
    left.trusted === right.trusted &&
    left.source === right.source &&
    left.priority === right.priority
  );
}
