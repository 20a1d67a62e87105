// The title of the window, and its icon. A session that asks is said in both, so that a question is seen from another
// tab; where the page is installed, its icon has a mark as well.
import { useEffect } from 'preact/hooks';
import { plainAddress } from '../model/place.ts';
import { forgetAsking, notifyAsking } from './notifications.ts';

let title = 'ollm';
/** Addresses and titles of sessions that ask, by the part of the page that says so. */
const asking = new Map<string, readonly AskingSession[]>();
/** The sessions that the window, the icon and the notification name. */
let shown: ReadonlyMap<string, string> = new Map();

type AskingSession = readonly [address: string, title: string];

function show(): void {
  // A session of ollm's own has two addresses until its row is there, and is one session.
  const all = new Map([...asking.values()].flat().map(([address, each]) => [plainAddress(address), each]));
  const [asked] = all.values();
  document.title = asked === undefined ? title : `● Asks: ${asked}`;
  const before = shown;
  shown = all;
  const isNew = [...all].filter(([address]) => !before.has(address));
  if (isNew.length === 0 && all.size === before.size) return;
  if (isNew.length > 0) notifyAsking(isNew.map(([, each]) => each));
  else if (all.size === 0) forgetAsking();
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon) icon.href = asked === undefined ? '/icon.svg' : '/icon-asks.svg';
  // Only an installed page has one; elsewhere it is refused.
  void navigator.setAppBadge?.(all.size).catch(() => {});
}

export function useTitle(text: string): void {
  useEffect(() => {
    title = `${text} · ollm`;
    show();
  }, [text]);
}

/** `sessions`: those that wait for an answer, as far as a part of the page knows. */
export function useAsking(part: string, sessions: readonly AskingSession[]): void {
  useEffect(() => {
    if (sessions.length === 0) return undefined;
    asking.set(part, sessions);
    show();
    return () => {
      asking.delete(part);
      show();
    };
  }, [part, JSON.stringify(sessions)]);
}
