// The newest sessions and how many there are, as they change. One tab of the browser is sent the changes and tells them
// to the others: each stream takes one of the few connections that a browser has for a server.
import { useEffect } from 'preact/hooks';
import { tellChanged, useChanging } from '../api/changing.ts';
import { openStream } from '../api/stream.ts';
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

let newest: NewestSessions | undefined;
let hasBegun = false;

/** Undefined until the first answer. */
export function useNewest(): NewestSessions | undefined {
  useEffect(() => {
    // A guest may read one session, not the list.
    if (tabGuest() === undefined) begin();
  }, []);
  return useChanging(NAME, () => newest);
}

function set(next: NewestSessions): void {
  newest = next;
  tellChanged(NAME);
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
  openStream({
    address: () => PATH,
    hear(source) {
      let isFirst = true;
      source.addEventListener('sessions', (message) => {
        onChanges(JSON.parse(message.data) as SentChanges, isFirst);
        isFirst = false;
      });
    },
  });
}

/** The row of a session, where it is one of the newest. */
export function useNewestRow(address: string): SentSessionRow | undefined {
  return useNewest()?.sessions.find((row) => row.address === address || row.address === `ollm:${address}`);
}
