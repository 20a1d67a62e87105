// The content of a page of many sessions, as it changes: the newest sessions and how many there are. One look at the
// lists serves all clients, and the server looks only while a client follows. Each client is sent only rows that
// changed.
import type { SessionCounts } from '../app/sessions/read/count-sessions.ts';
import type { Delivery } from '../host/port/followers.ts';
import { Waiters } from '../platform/waiters.ts';

interface FeedOptions {
  /** The newest sessions, as a list answers them. */
  readonly newest: (limit: number) => Promise<NewestRows>;
  readonly counts: () => Promise<SessionCounts>;
  /** The server ends. */
  readonly stopping: AbortSignal;
  readonly onProblem: (error: unknown) => void;
}

interface NewestRows {
  readonly sessions: readonly { readonly address: string }[];
  readonly total: number;
}

/** A session that runs is among the newest: it was active last. */
const MOST = 200;
const LOOK_EACH_MS = 2_000;
/** A list that takes long is looked at less often: a fifth of the time at most is spent on it. */
const PAUSE_PER_LOOK = 4;

interface Looked {
  readonly version: number;
  /** The JSON of each row by its address, the newest activity first. */
  readonly rows: ReadonlyMap<string, string>;
  readonly counts: string;
}

const NOTHING: Looked = { version: 0, rows: new Map(), counts: '' };

export class SessionFeed {
  readonly #options: FeedOptions;
  #clients = 0;
  #isLooking = false;
  #looked = NOTHING;
  readonly #waiters = new Waiters();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    options.stopping.addEventListener('abort', () => this.#waiters.tell(), { once: true });
  }

  /** The first item has all, each later one what changed. Ends with the signal, or with the server. */
  async *follow(signal: AbortSignal): AsyncGenerator<readonly Delivery[], void, void> {
    this.#clients += 1;
    void this.#look();
    let sent: Pick<Looked, 'rows' | 'counts'> = { rows: new Map(), counts: '' };
    let seen = 0;
    try {
      for (;;) {
        const isNewer = () => this.#looked.version !== seen || this.#hasEnded(signal);
        await this.#waiters.until(isNewer, signal).catch(() => undefined);
        if (this.#hasEnded(signal)) return;
        const now = this.#looked;
        yield [{ kind: 'sessions', data: changesSince(sent, now) }];
        sent = now;
        seen = now.version;
      }
    } finally {
      this.#clients -= 1;
      if (this.#clients === 0) {
        clearTimeout(this.#timer);
        // The next client waits for a look of its own time.
        this.#looked = NOTHING;
      }
    }
  }

  #hasEnded(signal: AbortSignal): boolean {
    return signal.aborted || this.#options.stopping.aborted;
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    clearTimeout(this.#timer);
    const startedMs = performance.now();
    try {
      const { sessions } = await this.#options.newest(MOST);
      const rows = new Map(sessions.map((row) => [row.address, JSON.stringify(row)]));
      if (!isSame(rows, this.#looked.rows)) {
        const { total, projects, agents } = await this.#options.counts();
        const { version } = this.#looked;
        this.#looked = { version: version + 1, rows, counts: JSON.stringify({ total, projects, agents }) };
        this.#waiters.tell();
      } else if (this.#looked.version === 0) {
        this.#looked = { version: 1, rows, counts: JSON.stringify({ total: 0, projects: [], agents: [] }) };
        this.#waiters.tell();
      }
    } catch (error) {
      if (!this.#options.stopping.aborted) this.#options.onProblem(error);
    }
    this.#isLooking = false;
    if (this.#clients === 0) this.#looked = NOTHING;
    if (this.#clients === 0 || this.#options.stopping.aborted) return;
    const pauseMs = Math.max(LOOK_EACH_MS, PAUSE_PER_LOOK * (performance.now() - startedMs));
    this.#timer = setTimeout(() => void this.#look(), pauseMs).unref();
  }
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  const [keys, others] = [[...a.keys()], [...b.keys()]];
  return keys.length === others.length && keys.every((key, at) => key === others[at] && a.get(key) === b.get(key));
}

function changesSince(sent: Pick<Looked, 'rows' | 'counts'>, now: Looked): string {
  const sessions = [...now.rows].flatMap(([address, row]) => (sent.rows.get(address) === row ? [] : [row]));
  const order = JSON.stringify([...now.rows.keys()]);
  const counts = sent.counts === now.counts ? '' : `,"counts":${now.counts}`;
  return `{"sessions":[${sessions.join(',')}],"order":${order}${counts}}`;
}
