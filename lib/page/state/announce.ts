// What a screen reader is told: politely, at most one message in three seconds; questions at once.

const PAUSE_MS = 3000;

let waiting: string | undefined;
let lastAt = Number.NEGATIVE_INFINITY;
let tellPolite: ((text: string) => void) | undefined;
let tellAssertive: ((text: string) => void) | undefined;

/** Says a text once what is being said has had its time. Only the newest of several waits. */
export function announce(text: string): void {
  const rest = lastAt + PAUSE_MS - performance.now();
  if (waiting === undefined) setTimeout(say, Math.max(0, rest));
  waiting = text;
}

function say(): void {
  lastAt = performance.now();
  tellPolite?.(waiting ?? '');
  waiting = undefined;
}

/** Says a question at once. */
export function announceQuestion(text: string): void {
  tellAssertive?.(text);
}

/** Where the texts go. */
export function hearAnnouncements(polite: (text: string) => void, assertive: (text: string) => void): void {
  tellPolite = polite;
  tellAssertive = assertive;
}
