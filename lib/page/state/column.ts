// The pages in view, and the scroll position: the end while it is followed, else the lines in view stay.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAnchor } from './anchor.ts';
import { isPrinted, useFollowing } from './following.ts';
import type { ReadingPlace } from './kept-place.ts';
import { usePageHeights } from './page-heights.ts';
import { MOST_PAGES, PAGE, type Pages } from './pages.ts';

interface ColumnOptions {
  /** The event that the address names. */
  readonly jump: number | undefined;
  /** Where the session was left. */
  readonly kept: ReadingPlace | undefined;
  /** Called with the place of the reader; undefined: at the end. */
  readonly onRead: (place: ReadingPlace | undefined) => void;
}

/** The distance from the upper edge to an event that was jumped to. */
const ROOM_ABOVE = 72;

export function useColumn(
  flow: { current: HTMLDivElement | null },
  pages: Pages,
  { jump, kept, onRead }: ColumnOptions,
) {
  const [range, setRange] = useState({ first: 0, last: 0 });
  /** The first and the last event in view. */
  const [view, setView] = useState({ first: 0, last: 0 });
  const current = view.first;
  const [seen, setSeen] = useState<number>();
  /** The event that is gone to, until its page is there. */
  const wanted = useRef<number | undefined>(jump ?? kept?.seq);
  /** How far below the upper edge it is to be. */
  const room = useRef(jump === undefined ? (kept?.top ?? ROOM_ABOVE) : ROOM_ABOVE);
  const isPlaced = useRef(false);
  const { heights, head } = pages;
  const following = useFollowing(flow, { isOn: wanted.current === undefined, isShown: pages.failure === undefined });
  const anchor = useAnchor(flow);

  /** The pages in view, and in `views` heights of it above and below. */
  const pagesIn = (views: number): { first: number; last: number } => {
    const { scrollTop, clientHeight } = flow.current!;
    const first = Math.max(0, heights.indexAt(scrollTop - views * clientHeight));
    const end = heights.indexAt(scrollTop + (1 + views) * clientHeight);
    return { first, last: Math.min(heights.count - 1, end, first + MOST_PAGES - 1) };
  };

  const look = useCallback((): void => {
    const box = flow.current;
    if (!box || heights.count === 0 || isPrinted()) return;
    const near = pagesIn(1);
    const far = pagesIn(3);
    setRange((old) => {
      // A shown page stays until it is further away than a new one: the height of a page can depend on the one
      // next to it, and the two would come and go by turns.
      const first = Math.max(far.first, Math.min(near.first, old.first));
      const last = Math.min(far.last, Math.max(near.last, old.last), first + MOST_PAGES - 1);
      return old.first === first && old.last === last ? old : { first, last };
    });
    pages.want(near.first, near.last);
    const { top, bottom } = box.getBoundingClientRect();
    const [upper, lower] = [eventAt(box, top + ROOM_ABOVE + 8), eventAt(box, bottom)];
    if (upper && lower) {
      const [first, last] = [Number(upper.dataset.seq), Number(lower.dataset.seq)];
      setView((old) => (old.first === first && old.last === last ? old : { first, last }));
    }
    if (following.isAtEnd()) setSeen(head);
    anchor.note();
    if (wanted.current === undefined) onRead(following.isOn ? undefined : anchor.place());
  }, [pages, heights, head]);

  const settle = useCallback((): void => {
    const box = flow.current;
    const target = wanted.current;
    if (!box || target === undefined || !pages.loaded.has(Math.floor(target / PAGE))) return;
    const element = box.querySelector<HTMLElement>(`#event-${target}`) ?? shownFor(box, target);
    if (!element) return;
    box.scrollTop += element.getBoundingClientRect().top - box.getBoundingClientRect().top - room.current;
    wanted.current = undefined;
    anchor.note();
  }, [pages]);

  /** A change of height moves neither the end that is followed nor the lines in view. */
  const hold = useCallback((): void => {
    if (isPrinted()) return;
    if (following.isOn) following.toEnd();
    else if (wanted.current === undefined) anchor.restore();
    else settle();
  }, [settle]);
  const { watch, measure } = usePageHeights(flow, heights, hold);

  const goTo = useCallback(
    (seq: number): void => {
      const box = flow.current;
      if (!box) return;
      following.isOn = false;
      if (seq !== kept?.seq || isPlaced.current) room.current = ROOM_ABOVE;
      wanted.current = Math.min(seq, head ?? seq);
      const page = Math.floor(wanted.current / PAGE);
      if (!pages.loaded.has(page) || page < range.first || page > range.last) box.scrollTop = heights.before(page);
      look();
      requestAnimationFrame(settle);
    },
    [head, pages, heights, range, look, settle],
  );

  useLayoutEffect(() => {
    if (!flow.current || head === undefined) return;
    measure();
    if (!isPlaced.current && pages.loaded.size > 0) {
      if (wanted.current !== undefined) goTo(wanted.current);
      isPlaced.current = true;
    }
    hold();
    look();
  }, [pages.version, range, head]);

  useEffect(() => {
    if (jump !== undefined && isPlaced.current) goTo(jump);
  }, [jump]);

  const frame = useRef(0);
  return {
    ...range,
    current,
    view,
    watch,
    newBelow: head !== undefined && seen !== undefined && !following.isOn ? Math.max(0, head - seen) : 0,
    jump: goTo,
    toEnd(): void {
      following.isOn = true;
      // A jump whose page is still loading would lead away again.
      wanted.current = undefined;
      following.toEnd();
      look();
    },
    onScroll(): void {
      if (!flow.current || isPrinted()) return;
      following.onScroll();
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(look);
    },
  };
}

/** The last event that begins at or above a height; without one, the first. */
function eventAt(box: HTMLElement, height: number): HTMLElement | undefined {
  const events = [...box.querySelectorAll<HTMLElement>('[data-seq]')];
  return events.findLast((element) => element.getBoundingClientRect().top <= height) ?? events[0];
}

/** The element of an event. An event without one is shown at the event before it, the first ones at the first. */
function shownFor(box: HTMLElement, seq: number): HTMLElement | undefined {
  const events = [...box.querySelectorAll<HTMLElement>('[data-seq]')];
  return events.findLast(({ dataset }) => Number(dataset.seq) <= seq) ?? events[0];
}
