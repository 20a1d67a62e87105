// The search of a session by its keys. The part of its bar is loaded when it is first wanted; letters that are typed
// until then are not lost.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

interface FindKeys {
  /** The first text of the bar; undefined while it is closed, or not there yet. */
  readonly begin: string | undefined;
  /** Undefined closes it. */
  readonly open: (text: string | undefined) => void;
}

/** `load`: gets the part of the bar. Pressed again in the bar, Ctrl F is the browser's. */
export function useFindKeys(load: () => Promise<unknown>): FindKeys {
  const [text, setText] = useState<string>();
  const [isLoaded, setIsLoaded] = useState(false);
  const waits = text !== undefined && !isLoaded;
  // In one step with the drawing of the bar, which has the focus then: no key comes between.
  useLayoutEffect(() => {
    if (!waits) return undefined;
    void load().then(() => setIsLoaded(true));
    const keep = (event: KeyboardEvent): void => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      setText((old) => `${old ?? ''}${event.key}`);
    };
    addEventListener('keydown', keep, true);
    return () => removeEventListener('keydown', keep, true);
  }, [waits]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Control' || event.key === 'Meta') void load();
      if (event.key !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      if ((event.target as Element).closest?.('search')) return;
      event.preventDefault();
      setText('');
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return { begin: isLoaded ? text : undefined, open: setText };
}
