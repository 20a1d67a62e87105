// Which pages are in view, and what stays where it is: the end while it is followed, else what is read.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MOST_PAGES, PAGE, type Pages } from './pages.ts';

/** On paper the conversation does not scroll: what is in view on the screen stays loaded. */
const isPrinted = (): boolean => matchMedia('print').matches;

/** Following the end ends when it is further away. */
const NEAR_END = 64;

export function useColumn(flow: { current: HTMLDivElement | null }, pages: Pages, jump: number | undefined) {
  const [range, setRange] = useState({ first: 0, last: 0 });
  const [current, setCurrent] = useState(0);
  const [seen, setSeen] = useState<number>();
  const isFollowing = useRef(jump === undefined);
  const wanted = useRef<number | undefined>(jump);
  const isPlaced = useRef(false);
  const observer = useRef<ResizeObserver>(undefined);
  const lastTop = useRef(0);
  const { heights, head } = pages;
  const scrollToEnd = useCallback((): void => {
    const box = flow.current;
    if (!box) return;
    box.scrollTop = box.scrollHeight;
    // What shrank has moved the place up as well: that is not the reader's doing.
    lastTop.current = box.scrollTop;
  }, []);

  const look = useCallback((): void => {
    const box = flow.current;
    if (!box || heights.count === 0 || isPrinted()) return;
    const first = Math.max(0, heights.indexAt(box.scrollTop - box.clientHeight));
    const last = Math.min(
      heights.count - 1,
      heights.indexAt(box.scrollTop + 2 * box.clientHeight),
      first + MOST_PAGES - 1,
    );
    setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
    pages.want(first, last);
    const middle = box.getBoundingClientRect().top + 80;
    const events = [...box.querySelectorAll<HTMLElement>('[data-seq]')];
    const top = events.findLast((element) => element.getBoundingClientRect().top <= middle) ?? events[0];
    if (top) setCurrent(Number(top.dataset.seq));
    if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END) setSeen(head);
  }, [pages, heights, head]);

  // A page that turns out higher or lower than it was guessed to be must not move what is read.
  const watch = useCallback((element: HTMLElement | null): void => {
    if (element) observer.current?.observe(element);
  }, []);
  /** Notes how high the pages are. True if that changed anything. */
  const measure = useCallback(
    (elements: Iterable<Element>): boolean => {
      const box = flow.current;
      if (!box || isPrinted()) return false;
      let isChanged = false;
      let above = 0;
      for (const each of elements) {
        const element = each as HTMLElement;
        const page = Number(element.dataset.page);
        if (!element.isConnected || element.dataset.loaded === undefined) continue;
        const change = element.offsetHeight - heights.at(page);
        if (change === 0) continue;
        isChanged = true;
        if (heights.before(page + 1) <= box.scrollTop) above += change;
        heights.set(page, element.offsetHeight);
      }
      if (isFollowing.current) scrollToEnd();
      else if (above !== 0 && wanted.current === undefined) box.scrollTop += above;
      return isChanged;
    },
    [heights, scrollToEnd],
  );
  useLayoutEffect(() => {
    observer.current = new ResizeObserver((entries) => {
      if (measure(entries.map(({ target }) => target))) settle();
    });
    for (const element of flow.current?.querySelectorAll('[data-page]') ?? []) observer.current.observe(element);
    return () => observer.current?.disconnect();
  }, [measure]);
  // The end moves also where no page changes: an answer streams below them, a question or the composer takes room.
  useLayoutEffect(() => {
    const box = flow.current;
    if (!box) return undefined;
    const ends = new ResizeObserver(() => {
      if (isFollowing.current && !isPrinted()) scrollToEnd();
    });
    for (const element of [box, ...box.children]) ends.observe(element);
    return () => ends.disconnect();
  }, [pages.failure === undefined]);

  const settle = useCallback((): void => {
    const box = flow.current;
    const target = wanted.current;
    if (!box || target === undefined) return;
    const events = [...box.querySelectorAll<HTMLElement>('[data-seq]')];
    // What shows nothing by itself is where the event in front of it is; the first of all, where the first one is.
    const element =
      box.querySelector<HTMLElement>(`#event-${target}`) ??
      events.findLast(({ dataset }) => Number(dataset.seq) <= target) ??
      events[0];
    const page = Math.floor(target / PAGE);
    if (!pages.loaded.has(page) || !element) return;
    box.scrollTop += element.getBoundingClientRect().top - box.getBoundingClientRect().top - 72;
    wanted.current = undefined;
  }, [pages]);

  const goTo = useCallback(
    (seq: number): void => {
      const box = flow.current;
      if (!box) return;
      isFollowing.current = false;
      wanted.current = Math.min(seq, head ?? seq);
      const page = Math.floor(wanted.current / PAGE);
      if (!pages.loaded.has(page) || page < range.first || page > range.last) box.scrollTop = heights.before(page);
      look();
      requestAnimationFrame(settle);
    },
    [head, pages, heights, range, look, settle],
  );

  useLayoutEffect(() => {
    const box = flow.current;
    if (!box || head === undefined) return;
    if (!isPlaced.current && pages.loaded.size > 0) {
      isPlaced.current = true;
      if (wanted.current !== undefined) goTo(wanted.current);
      else scrollToEnd();
    }
    measure(box.querySelectorAll('[data-page]'));
    look();
    settle();
  }, [pages.version, range, head]);

  useEffect(() => {
    if (jump !== undefined && isPlaced.current) goTo(jump);
  }, [jump]);

  const frame = useRef(0);
  return {
    ...range,
    current,
    view: { first: current, count: Math.max(1, Math.round(PAGE / 4)) },
    watch,
    newBelow: head !== undefined && seen !== undefined && !isFollowing.current ? Math.max(0, head - seen) : 0,
    jump: goTo,
    toEnd(): void {
      isFollowing.current = true;
      // A jump whose page is still loading would lead away again.
      wanted.current = undefined;
      scrollToEnd();
      look();
    },
    onScroll(): void {
      const box = flow.current;
      if (!box || isPrinted()) return;
      const isUpwards = box.scrollTop < lastTop.current - 1;
      // A reader that scrolls up by little is not pulled back by the next words.
      if (box.scrollHeight - box.scrollTop - box.clientHeight < (isUpwards ? 2 : NEAR_END)) isFollowing.current = true;
      else if (isUpwards) isFollowing.current = false;
      lastTop.current = box.scrollTop;
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(look);
    },
  };
}
