// The events of a session that are in memory, in pages of a hundred, and how high each page is.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { onRetry } from '../api/connection.ts';
import { type ApiError, failureOf, server } from '../api/server.ts';
import type { SentEvent, SentEventPage } from '../api/types.ts';
import { Heights } from '../model/heights.ts';

export const PAGE = 100;
/** Pages in the document at once. */
export const MOST_PAGES = 6;
/** Guess of a page whose events were never shown. */
const GUESSED_PAGE = 3600;

export interface Pages {
  /** Seq of the newest event; −1 in an empty session; undefined until the first answer. */
  readonly head: number | undefined;
  readonly heights: Heights;
  readonly loaded: ReadonlyMap<number, SentEventPage>;
  /** Why the session, or a page of it, could not be loaded. */
  readonly failure: ApiError | undefined;
  /** Pages that could not be loaded. */
  readonly failed: ReadonlySet<number>;
  readonly isLoading: boolean;
  /** Changes with the shown content. */
  readonly version: number;
  want(first: number, last: number): void;
  add(event: SentEvent): void;
  /** Asks again for what could not be loaded. */
  retry(): void;
  restart(): void;
}

interface HistoryAnswer {
  readonly entries: readonly SentEvent[];
  readonly damage: readonly { kind: string; offset: number; length: number; reason: string; before?: number }[];
  readonly head?: number;
  /** Where the next page begins; inside of the one that was asked for where its events are large. */
  readonly next?: number;
}

export function usePages(address: string, at: number | undefined): Pages {
  const store = useRef(emptyStore());
  const [head, setHead] = useState<number>();
  const [failure, setFailure] = useState<ApiError>();
  const [version, setVersion] = useState(0);
  const [loading, setLoading] = useState(0);
  const [round, setRound] = useState(0);
  const newest = useRef(-1);

  const grow = useCallback((to: number): void => {
    newest.current = Math.max(newest.current, to);
    const { heights } = store.current;
    while (heights.count < Math.floor(newest.current / PAGE) + 1) heights.push(GUESSED_PAGE);
    setHead(newest.current);
  }, []);

  const load = useCallback(
    async (page: number): Promise<void> => {
      const { loaded, asked } = store.current;
      if (asked.has(page)) return;
      asked.add(page);
      setLoading((some) => some + 1);
      try {
        const from = page >= 0 ? page * PAGE : at === undefined ? -PAGE : Math.max(0, at - PAGE + 1);
        const history = (first: number, limit: number): Promise<HistoryAnswer> =>
          server.getHistory({
            parameters: { id: address },
            query: { from: first, limit, messages: false },
          }) as unknown as Promise<HistoryAnswer>;
        let answer = await history(from, page < 0 ? PAGE * 2 : PAGE);
        const end = page < 0 ? Math.min(at ?? Number.POSITIVE_INFINITY, answer.head ?? -1) + 1 : (page + 1) * PAGE;
        while (answer.next !== undefined && answer.next < end && store.current.asked === asked) {
          const rest = await history(answer.next, Math.min(end - answer.next, PAGE * 2));
          answer = {
            ...rest,
            entries: [...answer.entries, ...rest.entries],
            damage: [...answer.damage, ...rest.damage],
            head: rest.head ?? answer.head,
          };
        }
        if (store.current.asked !== asked) return;
        const limit = at ?? Number.POSITIVE_INFINITY;
        grow(Math.min(answer.head ?? -1, limit));
        const entries = answer.entries.filter(({ seq }) => seq <= limit);
        const first =
          page < 0 ? Math.floor((entries[0]?.seq ?? 0) / PAGE) + ((entries[0]?.seq ?? 0) % PAGE === 0 ? 0 : 1) : page;
        const last = page < 0 ? Math.floor((entries.at(-1)?.seq ?? -1) / PAGE) : page;
        for (let each = first; each <= last; each += 1) {
          const events = entries.filter(({ seq }) => Math.floor(seq / PAGE) === each);
          const damage = answer.damage
            .filter(({ before }) => Math.floor((before ?? newest.current) / PAGE) === each)
            .map(({ before, ...place }) => ({ ...place, after: (before ?? newest.current + 1) - 1 }));
          loaded.set(each, { events, damage, head: newest.current });
          asked.add(each);
        }
        if (page < 0 && first > last && newest.current >= 0) asked.delete(Math.floor(newest.current / PAGE));
        setFailure(undefined);
      } catch (error) {
        if (store.current.asked !== asked) return;
        // It stays requested: each later drawing would request it again.
        store.current.failed.add(page);
        setFailure(failureOf(error));
      } finally {
        setLoading((some) => some - 1);
        setVersion((some) => some + 1);
      }
    },
    [address, at, grow],
  );

  useEffect(() => {
    store.current = emptyStore();
    newest.current = -1;
    setHead(undefined);
    void load(-1);
  }, [load, round]);

  const retry = useCallback((): void => {
    const { failed, asked } = store.current;
    if (newest.current < 0) {
      setRound((some) => some + 1);
      return;
    }
    for (const page of failed) asked.delete(page);
    failed.clear();
    setFailure(undefined);
    setVersion((some) => some + 1);
  }, []);
  const isUnanswered = failure?.code === 'OFFLINE';
  useEffect(() => (isUnanswered ? onRetry(retry) : undefined), [isUnanswered, retry]);

  return {
    head,
    heights: store.current.heights,
    loaded: store.current.loaded,
    failure,
    failed: store.current.failed,
    isLoading: loading > 0,
    version,
    want(first, last) {
      for (let page = first; page <= last; page += 1) void load(page);
      const { loaded, asked } = store.current;
      for (const page of loaded.keys()) {
        const isFar = page < first - MOST_PAGES / 2 || page > last + MOST_PAGES / 2;
        if (isFar && page !== Math.floor(newest.current / PAGE)) {
          loaded.delete(page);
          asked.delete(page);
        }
      }
    },
    add(event) {
      const page = Math.floor(event.seq / PAGE);
      const { loaded, asked } = store.current;
      const known = loaded.get(page);
      if (known?.events.some(({ seq }) => seq === event.seq)) return;
      const isNext = known !== undefined || event.seq % PAGE === 0;
      grow(event.seq);
      if (isNext) {
        asked.add(page);
        loaded.set(page, { events: [...(known?.events ?? []), event], damage: known?.damage ?? [], head: event.seq });
      }
      setVersion((some) => some + 1);
    },
    retry,
    restart: () => setRound((some) => some + 1),
  };
}

function emptyStore() {
  return {
    loaded: new Map<number, SentEventPage>(),
    heights: new Heights(0, 0),
    asked: new Set<number>(),
    failed: new Set<number>(),
  };
}
