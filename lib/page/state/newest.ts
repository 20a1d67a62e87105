// The newest sessions and how many there are, as they change. One tab of the browser is sent the changes and tells them
// to the others: each stream takes one of the few connections that a browser has for a server.
import { useEffect, useState } from 'preact/hooks';
import { askAgain, onRetry, reportAnswered, reportLost } from '../api/connection.ts';
import type { NewestSessions, SentCounts, SentSessionRow } from '../api/types.ts';
import { tabGuest } from './guest.ts';

/** An event of the server: at first all rows, then those that changed. */
interface SentChanges {
  readonly sessions: readonly SentSessionRow[];
  /** The addresses of all, the newest activity first. */
  readonly order: readonly string[];
  readonly counts?: SentCounts;
}

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'all'; readonly newest: NewestSessions }
  | { readonly kind: 'changes'; readonly changes: SentChanges };

const NAME = 'ollm:newest';
const PATH = '/api/llm/session-changes';
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

let newest: NewestSessions | undefined;
const watchers = new Set<(newest: NewestSessions | undefined) => void>();
let hasBegun = false;

/** Undefined until the first answer. */
export function useNewest(): NewestSessions | undefined {
  const [shown, setShown] = useState(newest);
  useEffect(() => {
    // A guest may read one session, not the list.
    if (tabGuest() === undefined) begin();
    watchers.add(setShown);
    setShown(newest);
    return () => void watchers.delete(setShown);
  }, []);
  return shown;
}

function set(next: NewestSessions): void {
  newest = next;
  for (const watcher of watchers) watcher(next);
}

function begin(): void {
  if (hasBegun) return;
  hasBegun = true;
  const others = new BroadcastChannel(NAME);
  let isLeading = false;
  others.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'all') set(data.newest);
    else if (data.kind === 'changes') change(data.changes);
    else if (isLeading && newest !== undefined) others.postMessage({ kind: 'all', newest } satisfies Message);
  };
  others.postMessage({ kind: 'ask' } satisfies Message);
  const lead = (): void => {
    isLeading = true;
    listen((changes, isFirst) => {
      if (isFirst) newest = undefined;
      change(changes);
      const message: Message = isFirst && newest ? { kind: 'all', newest } : { kind: 'changes', changes };
      others.postMessage(message);
    });
  };
  // The lock is held for as long as the tab is open; then the next one leads.
  if (navigator.locks) void navigator.locks.request(NAME, () => new Promise(lead));
  else lead();
}

/** Changes without a first answer are dropped: it is on its way. */
function change({ sessions, order, counts = newest?.counts }: SentChanges): void {
  if (counts === undefined) return;
  const rows = new Map([...(newest?.sessions ?? []), ...sessions].map((row) => [row.address, row]));
  set({ sessions: order.flatMap((address) => rows.get(address) ?? []), counts });
}

/** Follows the server for as long as the tab is open. */
function listen(onChanges: (changes: SentChanges, isFirst: boolean) => void): void {
  const stream = {};
  let source: EventSource | undefined;
  let pause = FIRST_PAUSE_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    clearTimeout(timer);
    timer = undefined;
    source?.close();
    source = new EventSource(PATH);
    let isFirst = true;
    source.onopen = () => {
      pause = FIRST_PAUSE_MS;
      reportAnswered(stream);
      askAgain();
    };
    source.onerror = () => {
      source?.close();
      reportLost(stream);
      clearTimeout(timer);
      timer = setTimeout(open, pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    };
    source.addEventListener('sessions', (message) => {
      onChanges(JSON.parse(message.data) as SentChanges, isFirst);
      isFirst = false;
    });
  };
  open();
  onRetry(() => timer !== undefined && open());
}

/** The row of a session, where it is one of the newest. */
export function useNewestRow(address: string): SentSessionRow | undefined {
  return useNewest()?.sessions.find((row) => row.address === address || row.address === `ollm:${address}`);
}
