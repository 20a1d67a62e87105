// The rows of the list of sessions in view, in blocks that are fetched by their place, and the newest of each project.
// They are fetched again when the order of the newest sessions has changed.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { onRetry } from '../api/connection.ts';
import { type ApiError, failureOf, server } from '../api/server.ts';
import type { NewestSessions, SentCounts, SentSessionRow } from '../api/types.ts';
import { newestOfEach, type SessionFilter } from '../model/session-lines.ts';

const BLOCK = 200;
const DAY_MS = 86_400_000;

export interface SessionWindow {
  /** How many sessions there are with this filter; undefined until the first answer. */
  readonly total: number | undefined;
  readonly counts: SentCounts | undefined;
  readonly failure: ApiError | undefined;
  /** The rows that are here: all of them, or the newest of each project. */
  readonly rows: readonly SentSessionRow[];
  rowAt(index: number): SentSessionRow | undefined;
  /** These are in view. */
  want(first: number, last: number): void;
  reload(): void;
}

interface Blocks {
  readonly key: string;
  readonly byPlace: Map<number, readonly SentSessionRow[]>;
  readonly asked: Set<number>;
  total: number | undefined;
  counts: SentCounts | undefined;
}

/** `isByProject`: the newest of each project, and no more. */
export function useSessionWindow(
  filter: SessionFilter,
  isByProject: boolean,
  newest: NewestSessions | undefined,
): SessionWindow {
  const { project, agent, days } = filter;
  const key = JSON.stringify([project, agent, days, isByProject]);
  const blocks = useRef<Blocks>(emptyBlocks(key));
  if (blocks.current.key !== key) blocks.current = emptyBlocks(key);
  const [, setVersion] = useState(0);
  const [failure, setFailure] = useState<ApiError>();
  const view = useRef({ first: 0, last: BLOCK - 1 });

  const load = useCallback(
    async (place: number): Promise<void> => {
      const known = blocks.current;
      if (known.asked.has(place)) return;
      known.asked.add(place);
      const since = days === undefined ? undefined : new Date(Date.now() - days * DAY_MS).toISOString();
      const filters = { project: project || undefined, provider: agent, since };
      try {
        if (isByProject || known.counts === undefined) known.counts = await server.countSessions({ query: filters });
        const { sessions, total } = await server.listSessions({
          query: {
            ...filters,
            withoutProject: project === '' || undefined,
            ...(isByProject
              ? { ofEach: newestOfEach(known.counts?.projects.length ?? 1), limit: 1000 }
              : { from: place * BLOCK, limit: BLOCK }),
          },
        });
        known.byPlace.set(place, sessions);
        known.total = isByProject ? known.counts?.total : total;
        setFailure(undefined);
      } catch (error) {
        known.asked.delete(place);
        setFailure(failureOf(error));
      }
      setVersion((some) => some + 1);
    },
    [key],
  );

  const want = useCallback(
    (first: number, last: number): void => {
      view.current = { first, last };
      if (isByProject) void load(0);
      else for (let place = blockOf(first); place <= blockOf(Math.max(first, last)); place += 1) void load(place);
    },
    [load, isByProject],
  );

  /** Asks again for the rows in view; other rows are fetched once they come into view. */
  const reload = useCallback((): void => {
    const { byPlace, asked } = blocks.current;
    asked.clear();
    const { first, last } = view.current;
    for (const place of byPlace.keys())
      if (!isByProject && (place < blockOf(first) || place > blockOf(last))) byPlace.delete(place);
    want(first, last);
  }, [want, isByProject]);

  useEffect(() => want(0, 0), [want]);
  // Which sessions are the newest, and in which order: what changes in a row comes with the row.
  const order = newest?.sessions.map(({ address }) => address).join(' ');
  const before = useRef(order);
  useEffect(() => {
    if (before.current !== undefined && order !== before.current) reload();
    before.current = order;
  }, [order]);
  const isUnanswered = failure?.code === 'OFFLINE';
  useEffect(() => (isUnanswered ? onRetry(reload) : undefined), [isUnanswered, reload]);

  const now = new Map(newest?.sessions.map((row) => [row.address, row]));
  const present = (row: SentSessionRow): SentSessionRow => now.get(row.address) ?? row;
  const { byPlace, total, counts } = blocks.current;
  return {
    total,
    counts,
    failure,
    rows: [...byPlace.values()].flat().map(present),
    rowAt(index) {
      const row = byPlace.get(blockOf(index))?.[index % BLOCK];
      return row && present(row);
    },
    want,
    reload,
  };
}

function blockOf(index: number): number {
  return Math.floor(index / BLOCK);
}

function emptyBlocks(key: string): Blocks {
  return { key, byPlace: new Map(), asked: new Set(), total: undefined, counts: undefined };
}
