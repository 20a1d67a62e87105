// The search of a session by its keys. The part of its bar is loaded when it is first wanted.
import { useEffect } from 'preact/hooks';
import { type LatePart, useLatePart } from './late-part.ts';

/**
 * `load`: gets the part of the bar; one that cannot be loaded ahead is tried again when it is opened. Pressed again in
 * the bar, Ctrl F is the browser's.
 */
export function useFindKeys(load: () => Promise<unknown>): LatePart {
  const bar = useLatePart(load);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Control' || event.key === 'Meta') load().catch(() => {});
      if (event.key !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      if ((event.target as Element).closest?.('search')) return;
      event.preventDefault();
      bar.open('');
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return bar;
}
