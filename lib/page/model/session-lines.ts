// The lines of the list of sessions: live ones on top, then by project or by time.
import type { SentSessionRow } from '../api/types.ts';

/** Which sessions are listed; a member that is undefined leaves none out. */
export interface SessionFilter {
  /** '': those without a project. */
  readonly project: string | undefined;
  readonly agent: string | undefined;
  /** Sessions that were active in the last days. */
  readonly days: number | undefined;
}

export type SessionLine =
  | { readonly kind: 'live'; readonly count: number }
  | { readonly kind: 'group'; readonly name: string; readonly count: number; readonly isWhole: boolean }
  | { readonly kind: 'row'; readonly row: SentSessionRow }
  | { readonly kind: 'blank'; readonly index: number };

/** The fewest sessions of each project that are shown at once, the newest. */
const NEWEST = 3;
/** Rows in all: few projects show more sessions of each. */
const ROWS_OF_ALL = 24;
const DAY_MS = 86_400_000;

export function isListed(row: SentSessionRow, { project, agent, days }: SessionFilter, now: number): boolean {
  return (
    (project === undefined || (row.project ?? '') === project) &&
    (agent === undefined || row.agent === agent) &&
    (days === undefined || Date.parse(row.lastActivity ?? '') >= now - days * DAY_MS)
  );
}

/** A row that is not loaded yet has its place. */
export function linesByTime(
  live: readonly SentSessionRow[],
  { total, rowAt }: { total: number; rowAt: (index: number) => SentSessionRow | undefined },
): readonly SessionLine[] {
  return [
    ...liveLines(live),
    ...Array.from({ length: total }, (_, index): SessionLine => {
      const row = rowAt(index);
      return row === undefined ? { kind: 'blank', index } : { kind: 'row', row };
    }),
  ];
}

/** `rows`: the newest of each project. `counts`: how many each has. */
export function linesByProject(
  live: readonly SentSessionRow[],
  rows: readonly SentSessionRow[],
  counts: readonly { readonly project?: string | undefined; readonly sessions: number }[],
): readonly SessionLine[] {
  const known = new Set(live.map(({ address }) => address));
  const groups = Map.groupBy(
    rows.filter(({ address }) => !known.has(address)),
    ({ project }) => project ?? '',
  );
  const newest = newestOfEach(counts.length);
  return [
    ...liveLines(live),
    ...counts.flatMap(({ project: name = '', sessions }): SessionLine[] => {
      const members = groups.get(name) ?? [];
      if (members.length === 0) return [];
      return [
        { kind: 'group', name, count: sessions, isWhole: sessions <= newest },
        ...members.slice(0, newest).map((row): SessionLine => ({ kind: 'row', row })),
      ];
    }),
  ];
}

/** How many of each project are shown at once: few projects show more of each. */
export function newestOfEach(projects: number): number {
  return Math.max(NEWEST, Math.floor(ROWS_OF_ALL / Math.max(1, projects)));
}

function liveLines(live: readonly SentSessionRow[]): readonly SessionLine[] {
  if (live.length === 0) return [];
  return [{ kind: 'live', count: live.length }, ...live.map((row) => ({ kind: 'row', row }) as const)];
}
