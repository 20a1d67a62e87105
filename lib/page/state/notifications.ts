// A notification of the system when a session asks and the page is not seen. Only where the user has allowed it.

export function canNotify(): 'yes' | 'ask' | 'no' {
  if (!('Notification' in globalThis) || !isSecureContext) return 'no';
  return ({ granted: 'yes', default: 'ask', denied: 'no' } as const)[Notification.permission];
}

/** Asks the browser; its own question is shown to the user. */
export async function allowNotifications(): Promise<boolean> {
  return 'Notification' in globalThis && (await Notification.requestPermission()) === 'granted';
}

let last: Notification | undefined;

/** `session`: the title of one that asks; undefined: none does any more. */
export function notifyAsking(session: string | undefined): void {
  if (session === undefined) {
    last?.close();
    last = undefined;
    return;
  }
  if (canNotify() !== 'yes' || !document.hidden) return;
  // Several tabs have one notification: a later one with its tag takes the place of the earlier.
  const shown = new Notification('ollm asks', { body: session, tag: 'ollm-asks', icon: '/icon.svg' });
  shown.onclick = () => {
    window.focus();
    shown.close();
  };
  last = shown;
}
