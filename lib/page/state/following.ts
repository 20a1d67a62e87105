// The end of a conversation is followed while it is in view, until the reader scrolls up.
import { useLayoutEffect, useState } from 'preact/hooks';

/** Following begins where the end is not further away. */
const NEAR_END = 64;

/** On paper the conversation does not scroll: the pages in view on the screen stay loaded. */
export const isPrinted = (): boolean => matchMedia('print').matches;

interface Following {
  isOn: boolean;
  isAtEnd(): boolean;
  toEnd(): void;
  /** Whether it goes on, after the reader scrolled. */
  onScroll(): void;
}

/** `isOn`: at first. `isShown`: changes with the content of the box. */
export function useFollowing(
  flow: { readonly current: HTMLElement | null },
  { isOn, isShown }: { isOn: boolean; isShown: boolean },
): Following {
  const [following] = useState((): Following => {
    let lastTop = 0;
    const left = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight;
    return {
      isOn,
      isAtEnd: () => flow.current !== null && left(flow.current) < NEAR_END,
      toEnd() {
        const box = flow.current;
        if (!box) return;
        box.scrollTop = box.scrollHeight;
        // What shrank has moved the place up as well: that is not the reader's doing.
        lastTop = box.scrollTop;
      },
      onScroll() {
        const box = flow.current!;
        // The event of its own step to the end, which may come after a jump away from there.
        if (box.scrollTop === lastTop) return;
        const isUpwards = box.scrollTop < lastTop - 1;
        // A reader that scrolls up by little is not pulled back by the next words.
        if (left(box) < (isUpwards ? 2 : NEAR_END)) following.isOn = true;
        else if (isUpwards) following.isOn = false;
        lastTop = box.scrollTop;
      },
    };
  });
  // The end moves also where no page changes: an answer streams below them, a question or the composer takes room.
  useLayoutEffect(() => {
    const box = flow.current;
    if (!box) return undefined;
    const ends = new ResizeObserver(() => {
      if (following.isOn && !isPrinted()) following.toEnd();
    });
    for (const element of [box, ...box.children]) ends.observe(element);
    return () => ends.disconnect();
  }, [isShown]);
  return following;
}
