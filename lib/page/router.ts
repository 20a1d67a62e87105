// Where the page is, and how it goes elsewhere without being loaded again.
import { useEffect, useState } from 'preact/hooks';
import { type PagePlace, placeOf } from './model/place.ts';
import { newEntry } from './state/kept-place.ts';

export { compareLink, costLink, type PagePlace, sessionLink, sessionsLink } from './model/place.ts';

const CHANGED = 'ollm:place';

/** Goes to another view without loading the page again. */
export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(history.state, '', address);
  else history.pushState(newEntry(), '', address);
  dispatchEvent(new Event(CHANGED));
}

/** The handler of a form that is sent without loading the page again. */
export const onSubmit = (send: () => unknown) => (event: Event) => {
  event.preventDefault();
  void send();
};

export function usePlace(): PagePlace {
  const [place, setPlace] = useState(() => placeOf(new URL(location.href)));
  useEffect(() => {
    const update = (): void => setPlace(placeOf(new URL(location.href)));
    const names = [CHANGED, 'popstate', 'hashchange'];
    for (const name of names) addEventListener(name, update);
    document.addEventListener('click', followLink);
    return () => {
      for (const name of names) removeEventListener(name, update);
      document.removeEventListener('click', followLink);
    };
  }, []);
  return place;
}

function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = (event.target as Element).closest?.('a');
  if (link?.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
  if (link.pathname.startsWith('/api/')) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}
