// The lines in view stay in place if something above them is added, removed or changes its height.
import { useState } from 'preact/hooks';
import type { ReadingPlace } from './kept-place.ts';

interface ScrollAnchor {
  /** Remembers the lines in view. */
  note(): void;
  /** Puts it back to where it was. */
  restore(): void;
  /** The event that is read, and how far its top is from that of the column. */
  place(): ReadingPlace | undefined;
}

export function useAnchor(flow: { readonly current: HTMLElement | null }): ScrollAnchor {
  const [anchor] = useState((): ScrollAnchor => {
    let held: { readonly seq: string; readonly place: number } | undefined;
    const note = (): void => {
      const box = flow.current;
      const element = box && readIn(box);
      held =
        element?.dataset.seq === undefined ? undefined : { seq: element.dataset.seq, place: placeIn(box!, element) };
    };
    return {
      note,
      place: () => held && { seq: Number(held.seq), top: held.place - (flow.current?.scrollTop ?? 0) },
      restore() {
        const box = flow.current;
        if (!box || held === undefined) return;
        // A stack of calls may have become a part of another one: the call itself is still there.
        const places = box.querySelectorAll<HTMLElement>(`[data-seq="${held.seq}"]`);
        const element = [...places].at(-1);
        const moved = element === undefined ? 0 : placeIn(box, element) - held.place;
        // Less cannot be seen, and would be given back by rounding in the next frame.
        if (Math.abs(moved) < 1) return;
        box.scrollTop += moved;
        held = { ...held, place: held.place + moved };
      },
    };
  });
  return anchor;
}

/** The first event that begins in view; without one that which fills the view; else the nearest. */
function readIn(box: HTMLElement): HTMLElement | undefined {
  const places = [...box.querySelectorAll<HTMLElement>('[data-seq]')];
  const begins = places.find((each) => topIn(box, each) >= 0);
  if (begins && topIn(box, begins) < box.clientHeight) return innermost(begins);
  return places.findLast((each) => topIn(box, each) < 0 && bottomIn(box, each) > 0) ?? (begins && innermost(begins));
}

/** An event that holds others has the number of its first. */
function innermost(element: HTMLElement): HTMLElement {
  return element.querySelector<HTMLElement>(`[data-seq="${element.dataset.seq}"]`) ?? element;
}

function topIn(box: HTMLElement, element: HTMLElement): number {
  return element.getBoundingClientRect().top - box.getBoundingClientRect().top;
}

/** From the beginning of all: the reader's scrolling does not change it. */
function placeIn(box: HTMLElement, element: HTMLElement): number {
  return topIn(box, element) + box.scrollTop;
}

function bottomIn(box: HTMLElement, element: HTMLElement): number {
  return element.getBoundingClientRect().bottom - box.getBoundingClientRect().top;
}
