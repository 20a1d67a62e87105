// The title of the window. A session that asks is said in front of it, so that a question is seen from another tab.
import { useEffect } from 'preact/hooks';
import { notifyAsking } from './notifications.ts';

let title = 'ollm';
let notified: string | undefined;
/** Titles of sessions that ask, by the part of the page that says so. */
const asking = new Map<string, string>();

function show(): void {
  const [asked] = asking.values();
  document.title = asked === undefined ? title : `● Asks: ${asked}`;
  if (asked !== notified) notifyAsking(asked);
  notified = asked;
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
