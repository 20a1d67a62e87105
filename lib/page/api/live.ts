// One connection for the whole page: the events and signals of the sessions that are looked at, from where this page
// left off. A connection that is lost returns with the id of the last event, so that nothing is missed or doubled.

import { useEffect, useState } from 'preact/hooks';
import type { SentEvent } from './types.ts';

export type ConnectionState = 'connected' | 'reconnecting' | 'offline';

export interface LiveListener {
  onEvent(event: SentEvent): void;
  onSignal(signal: LiveSignal): void;
  onPartial(partial: LivePartial): void;
  /** What this page knows of the session is no more. */
  onReset(): void;
}

export interface LiveSignal {
  readonly type: string;
  readonly sessionId?: string;
  readonly [member: string]: unknown;
}

export interface LivePartial {
  readonly text?: string;
  readonly reasoning?: string;
}

/** Losses under 2 s are not shown, those over 15 s are told as no answer. */
const SHOWN_AFTER_MS = 2000;
const OFFLINE_AFTER_MS = 15_000;
const LONGEST_PAUSE_MS = 30_000;

let state: ConnectionState = 'connected';
const watchers = new Set<(state: ConnectionState) => void>();

function tell(next: ConnectionState): void {
  if (next === state) return;
  state = next;
  for (const watcher of watchers) watcher(next);
}

/** How the connection is, for the sidebar and the notices. */
export function useConnection(): ConnectionState {
  const [shown, setShown] = useState(state);
  useEffect(() => {
    watchers.add(setShown);
    setShown(state);
    return () => void watchers.delete(setShown);
  }, []);
  return shown;
}

/** Follows a session from behind the event `after`. Ends with `close`. */
export function follow(address: string, after: number, listener: LiveListener): { close(): void; retry(): void } {
  let last = after;
  let source: EventSource | undefined;
  let lostAt: number | undefined;
  let pause = 1000;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const open = (): void => {
    if (isClosed) return;
    source = new EventSource(`/api/llm/sessions/${encodeURIComponent(address)}/events?from=${last + 1}`);
    source.onopen = () => {
      lostAt = undefined;
      pause = 1000;
      tell('connected');
    };
    source.onerror = lost;
    source.onmessage = (message) => {
      const event = JSON.parse(message.data) as SentEvent;
      last = Math.max(last, event.seq);
      listener.onEvent(event);
    };
    source.addEventListener('signal', (message) => listener.onSignal(JSON.parse(message.data) as LiveSignal));
    source.addEventListener('partial', (message) => listener.onPartial(JSON.parse(message.data) as LivePartial));
    // The server asks to return, from where this page is: it was too far behind, or the server ends.
    source.addEventListener('end', lost);
    source.addEventListener('reset', () => {
      last = -1;
      listener.onReset();
    });
  };

  const lost = (): void => {
    source?.close();
    if (isClosed) return;
    lostAt ??= Date.now();
    const away = Date.now() - lostAt;
    if (away >= OFFLINE_AFTER_MS) tell('offline');
    else setTimeout(() => lostAt !== undefined && !isClosed && tell('reconnecting'), SHOWN_AFTER_MS);
    clearTimeout(timer);
    timer = setTimeout(open, pause);
    pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
  };

  open();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      source?.close();
    },
    retry() {
      source?.close();
      clearTimeout(timer);
      open();
    },
  };
}
