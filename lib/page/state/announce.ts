// What a screen reader is told: politely, at most one message in three seconds; questions at once.

const PAUSE_MS = 3000;

/** Waiting texts by subject, the oldest first. */
const waiting = new Map<string, string>();
let lastAt = Number.NEGATIVE_INFINITY;
let tellPolite: ((text: string) => void) | undefined;
let tellAssertive: ((text: string) => void) | undefined;

/**
 * Announces a text after the pause since the last one. Of several about one subject only the newest waits; those about
 * different things are said together.
 */
export function announce(text: string, about = 'view'): void {
  const rest = lastAt + PAUSE_MS - performance.now();
  if (waiting.size === 0) setTimeout(say, Math.max(0, rest));
  waiting.delete(about);
  waiting.set(about, text);
}

function say(): void {
  lastAt = performance.now();
  tellPolite?.([...waiting.values()].join('. '));
  waiting.clear();
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
