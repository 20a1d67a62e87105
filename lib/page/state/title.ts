// The title of the window, and its icon. A session that asks is said in both, so that a question is seen from another
// tab; where the page is installed, its icon has a mark as well.
import { useEffect } from 'preact/hooks';
import { notifyAsking } from './notifications.ts';

let title = 'ollm';
let notified: string | undefined;
/** Titles of sessions that ask, by the part of the page that says so. */
const asking = new Map<string, string>();

function show(): void {
  const [asked] = asking.values();
  document.title = asked === undefined ? title : `● Asks: ${asked}`;
  if (asked === notified) return;
  notified = asked;
  notifyAsking(asked);
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon) icon.href = asked === undefined ? '/icon.svg' : '/icon-asks.svg';
  // Only an installed page has one; elsewhere it is refused.
  void navigator.setAppBadge?.(asking.size).catch(() => {});
}

export function useTitle(text: string): void {
  useEffect(() => {
    title = `${text} · ollm`;
    show();
  }, [text]);
}

/** `session`: the title of one that waits for an answer; undefined if none does. */
export function useAsking(name: string, session: string | undefined): void {
  useEffect(() => {
    if (session === undefined) return undefined;
    asking.set(name, session);
    show();
    return () => {
      asking.delete(name);
      show();
    };
  }, [name, session]);
}
