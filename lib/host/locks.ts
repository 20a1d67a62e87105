// Encrypted sessions that are opened by a passphrase from elsewhere than a terminal. The key is in the memory of this
// process and of its workers, and nowhere else; the passphrase is not kept, not stored and not logged. A session that
// is not used any more is locked again.
import type { App } from '../app/app.ts';
import { exactSession } from '../app/find/exact-session.ts';
import { readJournal } from '../app/journals/read-journal.ts';
import { isOllmError, OllmError } from '../errors/index.ts';
import type { Encryption } from '../stores/sealing/encryption.ts';
import { copiesIn, isFilled } from '../stores/sealing/session-keys.ts';
import type { Followers } from './following/followers.ts';
import type { HostedSessions } from './sessions/hosted-sessions.ts';

interface LocksOptions {
  readonly app: App;
  readonly sessions: Pick<HostedSessions, 'activity' | 'release'>;
  readonly followers: Pick<Followers, 'isFollowed' | 'end'>;
  readonly idleMs: number;
}

/** Wrong passphrases in a row, of all sessions together, before the next one has to wait. */
const MOST_WRONG = 5;
const PAUSE_MS = 60_000;
/** The interval of looks for unused keys, as a fraction of the time that a key stays open. */
const LOOKS = 15;

/** Encrypted sessions that a passphrase opened in this host. Their keys are only in memory. */
export class Locks {
  readonly #options: LocksOptions;
  /** When a session was last in use, by the clock that never steps back. */
  readonly #usedAt = new Map<string, number>();
  #isTrying = false;
  #wrong = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LocksOptions) {
    this.#options = options;
  }

  /**
   * Opens a session by its passphrase, until `lock`, or until it was not used for 15 minutes: no client follows it, and
   * no turn of it runs or waits. One passphrase is tried at a time.
   * @throws OllmError SESSION_NOT_FOUND, KEY_WRONG, KEY_UNUSABLE, SESSION_ENCRYPTED (a key file opens it); BUSY, with
   * `data.retryAfterMs`: one is being tried, or five in a row were wrong
   * @returns its full id, as does `lock`
   */
  async unlock(reference: string, passphrase: string): Promise<string> {
    const { app, idleMs } = this.#options;
    const { id, kind } = await exactSession(app, reference);
    const copies = kind === 'own' ? await copiesOf(app, id) : [];
    if (!isFilled(copies)) return id;
    const restMs = this.#pausedUntil - app.clock.monotonic();
    if (this.#isTrying || restMs > 0) throw busy(Math.max(restMs, 1000));
    this.#isTrying = true;
    try {
      await app.keyring.open(id, copies, passphrase);
      this.#wrong = 0;
    } catch (error) {
      if (!isOllmError(error, 'KEY_WRONG')) throw error;
      this.#wrong += 1;
      if (this.#wrong % MOST_WRONG === 0) this.#pausedUntil = app.clock.monotonic() + PAUSE_MS;
      throw error;
    } finally {
      this.#isTrying = false;
    }
    this.#usedAt.set(id, app.clock.monotonic());
    this.#timer ??= setInterval(() => void this.#lockUnused(), Math.max(1, idleMs / LOOKS)).unref();
    return id;
  }

  /**
   * Forgets its key, and ends its subscriptions. Sessions that the same passphrase opened with it, such as its forks,
   * are locked too.
   * @throws OllmError SESSION_BUSY: a turn runs or waits in one of them
   */
  async lock(reference: string): Promise<string> {
    const { app, sessions, followers } = this.#options;
    const { id } = await exactSession(app, reference);
    const together = this.#openedWith(id);
    // Their writers know the key: none is closed unless all can be.
    const busyOne = together.find((each) => ['running', 'waiting'].includes(sessions.activity(each).kind));
    if (busyOne !== undefined) {
      throw new OllmError('SESSION_BUSY', `A turn of session ${busyOne} runs or waits.`, { data: { id: busyOne } });
    }
    for (const each of together) await sessions.release(each);
    app.keyring.forget(id);
    for (const each of together) {
      this.#usedAt.delete(each);
      followers.end(each, 'gone');
    }
    return id;
  }

  /** Ids of those that a passphrase has opened. */
  unlocked(): ReadonlySet<string> {
    return new Set(this.#options.app.keyring.opened().map(({ id }) => id));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** It, and those that the same passphrase opened. */
  #openedWith(id: string): readonly string[] {
    const opened = this.#options.app.keyring.opened();
    const salts = new Set(opened.flatMap((each) => (each.id === id ? each.encryption.kdf.salt : [])));
    return opened.flatMap((each) => (salts.has(each.encryption.kdf.salt) ? each.id : []));
  }

  async #lockUnused(): Promise<void> {
    const { app, sessions, followers, idleMs } = this.#options;
    const now = app.clock.monotonic();
    const opened = app.keyring.opened();
    for (const { id } of opened) {
      const isUsed = followers.isFollowed(id) || sessions.activity(id).kind !== 'not-held';
      if (isUsed || !this.#usedAt.has(id)) this.#usedAt.set(id, now);
    }
    for (const group of Map.groupBy(opened, ({ encryption }) => encryption.kdf.salt).values()) {
      const isOver = group.every(({ id }) => now - (this.#usedAt.get(id) ?? now) >= idleMs);
      // A session in use at this moment is checked again.
      if (isOver) await this.lock(group[0]!.id).catch(() => {});
    }
  }
}

/** The stored lines are read: to open them would need the key. */
async function copiesOf({ store }: App, id: string): Promise<readonly Encryption[]> {
  return readJournal(store, id, async (reader) => copiesIn((await reader.sealed()) ?? reader));
}

function busy(retryAfterMs: number): OllmError {
  return new OllmError('BUSY', 'A passphrase is being tried, or too many were wrong.', {
    hint: `Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`,
    data: { retryAfterMs },
  });
}
