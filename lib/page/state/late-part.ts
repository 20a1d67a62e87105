// A part that is opened by keys and loaded when it is first wanted; letters that are typed until then are not lost.
import { useLayoutEffect, useState } from 'preact/hooks';

export interface LatePart {
  /** The first text of the part; undefined while it is closed, or still loads. */
  readonly begin: string | undefined;
  /** Undefined closes it. */
  readonly open: (text: string | undefined) => void;
  readonly isWanted: boolean;
}

/** `load`: gets the part, which takes the focus in the step that draws it. */
export function useLatePart(load: () => Promise<unknown>): LatePart {
  const [text, setText] = useState<string>();
  const [isLoaded, setIsLoaded] = useState(false);
  const waits = text !== undefined && !isLoaded;
  // In one step with the drawing of the part: no key comes between.
  useLayoutEffect(() => {
    if (!waits) return undefined;
    // A part that cannot be loaded is drawn as nothing, and is tried again when it is opened again.
    void load()
      .finally(() => setIsLoaded(true))
      .catch(() => {});
    const keep = (event: KeyboardEvent): void => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      setText((old) => `${old ?? ''}${event.key}`);
    };
    addEventListener('keydown', keep, true);
    return () => removeEventListener('keydown', keep, true);
  }, [waits]);
  return { begin: isLoaded ? text : undefined, open: setText, isWanted: text !== undefined };
}
