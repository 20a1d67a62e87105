// How high the pages in the document are, once they are drawn.
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';
import type { Heights } from '../model/heights.ts';
import { isPrinted } from './following.ts';

interface PageHeights {
  /** Watches a page for as long as it is in the document. */
  readonly watch: (element: HTMLElement | null) => void;
  /** Notes how high the pages are now. */
  readonly measure: () => void;
}

/** `onChange`: pages became higher or lower, before that is painted. */
export function usePageHeights(
  flow: { readonly current: HTMLElement | null },
  heights: Heights,
  onChange: () => void,
): PageHeights {
  const observer = useRef<ResizeObserver>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  const watch = useCallback((element: HTMLElement | null): void => {
    if (element) observer.current?.observe(element);
  }, []);
  const measure = useCallback((): void => {
    if (isPrinted()) return;
    for (const element of flow.current?.querySelectorAll<HTMLElement>('[data-page][data-loaded]') ?? []) {
      const page = Number(element.dataset.page);
      // To the fraction of a pixel: the room that a page leaves is as high as the page was.
      const { height } = element.getBoundingClientRect();
      if (height !== heights.at(page)) heights.set(page, height);
    }
  }, [heights]);
  useLayoutEffect(() => {
    observer.current = new ResizeObserver(() => {
      measure();
      latest.current();
    });
    for (const element of flow.current?.querySelectorAll('[data-page]') ?? []) observer.current.observe(element);
    return () => observer.current?.disconnect();
  }, [measure]);
  return { watch, measure };
}
