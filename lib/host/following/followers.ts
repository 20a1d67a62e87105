// A follower for each conversation that has subscribers, or a turn in this process; it ends with the last of them.
import type { App } from '../../app/app.ts';
import { OllmError } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import { Lanes } from '../../platform/lanes.ts';
import { once } from '../../platform/once.ts';
import type { Delivery, HostSignal, SubscribeOptions } from '../port/followers.ts';
import type { HostLimits } from '../port/limits.ts';
import { followedConversation, followedJournal } from './followed.ts';
import { type End, Follower } from './follower.ts';
import { createGrowth } from './growth.ts';
import { RingBudget } from './ring.ts';
import { subscription } from './subscription.ts';

interface FollowersOptions {
  readonly app: App;
  readonly limits: Pick<HostLimits, 'ringBytes' | 'sliceBytes'>;
  /** How a session is now, for a new subscriber. */
  readonly now: (id: string) => Promise<readonly HostSignal[]>;
  /** The queue of a session that another process leads. */
  readonly queueElsewhere: (id: string) => Promise<readonly HostSignal[]>;
}

/** The bytes of all followers together. */
const MOST_RING_BYTES = 32 * 1024 * 1024;

interface HeldFollower {
  readonly follower: Promise<Follower>;
  /** Once it is open. */
  open?: Follower;
  users: number;
}

export class Followers {
  readonly #options: FollowersOptions;
  readonly #growth;
  readonly #budget = new RingBudget(MOST_RING_BYTES);
  readonly #held = new Map<string, HeldFollower>();
  #isClosed = false;
  #subscribers = 0;
  #evictions = 0;

  constructor(options: FollowersOptions) {
    this.#options = options;
    this.#growth = createGrowth(options.app.log);
  }

  get figures() {
    return { followers: this.#held.size, subscribers: this.#subscribers, evictions: this.#evictions };
  }

  /**
   * The events and signals of any session: `id` is that of a session of ollm, or the address of one of another program.
   * A single follower reads for all subscribers. Batches are pulled: the next one is made when the subscriber asks for
   * it, so that a subscriber that waits for its socket holds up only itself.
   * @throws OllmError SESSION_NOT_FOUND, USAGE (`after` is not an id), and the errors of the reader: before the first
   * batch
   */
  async *subscribe(id: string, options: SubscribeOptions): AsyncGenerator<readonly Delivery[], void, void> {
    const { limits, now } = this.#options;
    const using = await this.use(id);
    this.#subscribers += 1;
    const { follower } = using;
    try {
      yield* subscription(follower, {
        ...options,
        sliceBytes: limits.sliceBytes,
        now: () => now(follower.followed.id),
        onBehind: () => {
          this.#evictions += 1;
        },
      });
    } finally {
      this.#subscribers -= 1;
      using.end();
    }
  }

  /**
   * Keeps a session followed until `end`.
   *
   * @throws OllmError SESSION_NOT_FOUND, SERVER_CLOSING, and what reading throws
   */
  async use(id: string): Promise<{ readonly follower: Follower; end(): void }> {
    const key = await this.#keyOf(id);
    if (this.#isClosed) throw new OllmError('SERVER_CLOSING', 'The server ends.', { hint: 'Connect again later.' });
    let held = this.#held.get(key);
    // A failed follower gives nothing to a new subscriber.
    if (held === undefined || held.open?.end !== undefined) {
      held = { follower: this.#open(key), users: 0 };
      this.#held.set(key, held);
    }
    held.users += 1;
    const end = () => this.#letGo(key, held);
    try {
      const follower = await held.follower;
      held.open = follower;
      return { follower, end: once(end) };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Whether it has subscribers, or a turn in this process. */
  isFollowed(id: string): boolean {
    return this.#held.has(id);
  }

  /** Sends a signal to the subscribers of the session, if it has any. */
  signal(id: string, signal: HostSignal, behind = -1): void {
    this.#held.get(id)?.open?.signal(signal, behind);
  }

  /** The journal has grown. */
  hint(id: string): void {
    this.#held.get(id)?.open?.hint();
  }

  /** Ends all subscriptions of a session. */
  end(id: string, reason: End['reason']): void {
    this.#held.get(id)?.open?.stop(reason);
    this.#held.delete(id);
  }

  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#held.keys()]) this.end(id, 'closing');
    this.#growth.close();
  }

  /** For a session of ollm its id; for one of another program its whole address. */
  async #keyOf(id: string): Promise<string> {
    if (this.#held.has(id)) return id;
    const { app } = this.#options;
    if (isSessionId(id) && (await app.store.has(id))) return id;
    return (await followedConversation(app, id)).id;
  }

  async #open(key: string): Promise<Follower> {
    const { app, limits, queueElsewhere } = this.#options;
    const followed = isSessionId(key) ? followedJournal(app, key) : await followedConversation(app, key);
    const reading = new Lanes(1);
    const onQueue = (): void => {
      void reading.run(async () => {
        for (const signal of await queueElsewhere(followed.id)) this.signal(key, signal);
      });
    };
    return Follower.open({
      followed,
      growth: this.#growth,
      ringBytes: limits.ringBytes,
      budget: this.#budget,
      onQueue,
    });
  }

  #letGo(key: string, held: HeldFollower): void {
    held.users -= 1;
    if (held.users > 0) return;
    held.open?.stop('gone');
    if (this.#held.get(key) === held) this.#held.delete(key);
  }
}
