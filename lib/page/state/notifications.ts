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

/** Closes the notification: no session asks any more. */
export function forgetAsking(): void {
  last?.close();
  last = undefined;
}

/** `titles`: of the sessions that begin to ask. */
export function notifyAsking(titles: readonly string[]): void {
  if (canNotify() !== 'yes' || !document.hidden) return;
  // Several tabs have one notification: a later one with its tag takes the place of the earlier.
  const shown = new Notification('ollm asks', { body: titles.join('\n'), tag: 'ollm-asks', icon: '/icon.svg' });
  shown.onclick = () => {
    window.focus();
    shown.close();
  };
  last = shown;
}
