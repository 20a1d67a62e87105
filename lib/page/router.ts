// The address of the page: `/`, `/search?q=`, `/new`, `/cost?days=`, `/s/ADDRESS`, with `?at=SEQ`, `?tab=cost`, `#SEQ`.
import { useEffect, useState } from 'preact/hooks';

export type Place =
  | { readonly view: 'sessions'; readonly project: string | undefined; readonly agent: string | undefined }
  | { readonly view: 'search'; readonly query: string }
  | { readonly view: 'new' }
  | { readonly view: 'cost'; readonly days: number }
  | {
      readonly view: 'session';
      readonly address: string;
      readonly tab: 'conversation' | 'cost';
      readonly at: number | undefined;
      readonly jump: number | undefined;
    }
  | { readonly view: 'nowhere' };

export function placeOf(url: URL): Place {
  const { pathname, searchParams, hash } = url;
  const number = (text: string | null | undefined) => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined);
  if (pathname === '/')
    return {
      view: 'sessions',
      project: searchParams.get('project') ?? undefined,
      agent: searchParams.get('agent') ?? undefined,
    };
  if (pathname === '/search') return { view: 'search', query: searchParams.get('q') ?? '' };
  if (pathname === '/new') return { view: 'new' };
  if (pathname === '/cost') return { view: 'cost', days: number(searchParams.get('days')) ?? 30 };
  const address = /^\/s\/([^/]+)$/.exec(pathname)?.[1];
  if (address === undefined) return { view: 'nowhere' };
  return {
    view: 'session',
    address: decodeURIComponent(address),
    tab: searchParams.get('tab') === 'cost' ? 'cost' : 'conversation',
    at: number(searchParams.get('at')),
    jump: number(hash.slice(1)),
  };
}

/** The address of a session's view. */
export function sessionLink(address: string, rest = ''): string {
  return `/s/${encodeURIComponent(address)}${rest}`;
}

const CHANGED = 'ollm:place';

/** Goes to another view without loading the page again. */
export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(undefined, '', address);
  else history.pushState(undefined, '', address);
  dispatchEvent(new Event(CHANGED));
}

export function usePlace(): Place {
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
