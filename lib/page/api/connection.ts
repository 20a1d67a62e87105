// Whether ollm answers. Requests and streams of events report here when they get no answer, and when they get one
// again; while requests get none, a small one is sent until it does. What failed meanwhile is then asked for again.
import { tellChanged, useChanging } from './changing.ts';

export type ConnectionState = 'connected' | 'reconnecting' | 'offline';

interface ServerConnection {
  readonly state: ConnectionState;
  /** When the first answer was missed; undefined while ollm answers. */
  readonly lostAt: Date | undefined;
}

/** Losses under 2 s are not shown; after 15 s ollm is said not to answer. */
const SHOWN_AFTER_MS = 2000;
const OFFLINE_AFTER_MS = 15_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

const CHANGED = 'ollm:connection';
let connection: ServerConnection = { state: 'connected', lostAt: undefined };
/** Things that wait for an answer: streams, and requests as a whole. */
const waiting = new Set<object>();
const retries = new Set<() => void>();
let timers: ReturnType<typeof setTimeout>[] = [];

function tell(next: ServerConnection): void {
  connection = next;
  tellChanged(CHANGED);
}

/** How the connection is, for the sidebar and the notices. */
export function useConnection(): ServerConnection {
  return useChanging(CHANGED, () => connection);
}

/** `what` got no answer. */
export function reportLost(what: object): void {
  if (waiting.has(what)) return;
  waiting.add(what);
  if (waiting.size > 1) return;
  const lostAt = new Date();
  const later = (state: ConnectionState, ms: number) => setTimeout(() => tell({ state, lostAt }), ms);
  timers = [later('reconnecting', SHOWN_AFTER_MS), later('offline', OFFLINE_AFTER_MS)];
}

/** `what` was answered, or waits for nothing any more. */
export function reportAnswered(what: object): void {
  if (!waiting.delete(what) || waiting.size > 0) return;
  for (const timer of timers) clearTimeout(timer);
  if (connection.state !== 'connected') tell({ state: 'connected', lostAt: undefined });
}

/** Calls `retry` when ollm answers again, or when the user asks to try now. @returns the end of that */
export function onRetry(retry: () => void): () => void {
  retries.add(retry);
  return () => void retries.delete(retry);
}

/** Tries everything that waits again. */
export function retryNow(): void {
  askAgain();
  for (const retry of [...retries]) retry();
}

// A stream that nothing closes stays silent where the network is gone, and an idle page sends no request that fails.
addEventListener('offline', () => reportRequestLost());

const REQUESTS = {};
let probe: ReturnType<typeof setTimeout> | undefined;

/** A request got no answer. */
export function reportRequestLost(): void {
  reportLost(REQUESTS);
  if (probe === undefined) ask(FIRST_PAUSE_MS);
}

/** A stream was answered: requests may be, too. */
export function askAgain(): void {
  if (probe !== undefined) ask(0);
}

function ask(pauseMs: number): void {
  clearTimeout(probe);
  probe = setTimeout(() => {
    fetch('/health', { credentials: 'same-origin' }).then(answered, () =>
      ask(Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2))),
    );
  }, pauseMs);
}

function answered(): void {
  probe = undefined;
  reportAnswered(REQUESTS);
  retryNow();
}
