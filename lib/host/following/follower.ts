// Reads one conversation as it grows, once for all subscribers: its events and the signals of its turn, in one order. A
// signal comes after every event that was stored before it. Begins at the current end of the conversation.
import { type ErrorCode, isOllmError } from '../../errors/index.ts';
import type { EventReader, SessionEvent } from '../../journal/types.ts';
import type { Delivery, HostSignal } from '../port/followers.ts';
import { eventItem, type FollowedJournal, type Mark, markOf } from './followed.ts';
import type { Growth } from './growth.ts';
import { LiveText } from './live-text.ts';
import { Ring, type RingBudget } from './ring.ts';

interface FollowerOptions {
  readonly followed: FollowedJournal;
  readonly growth: Growth;
  readonly ringBytes: number;
  readonly budget: RingBudget;
  /** Called when an event of the journal has changed the queue of prompts. */
  readonly onQueue: () => void;
}

export type End = Extract<Delivery, { kind: 'end' }>;

/** Woken when there is something new. */
export interface Waiter {
  wake?: (() => void) | undefined;
}

export class Follower {
  readonly followed: FollowedJournal;
  /** The message under way. */
  readonly text = new LiveText();
  readonly waiters = new Set<Waiter>();
  readonly #growth: Growth;
  readonly #budget: RingBudget;
  readonly #reader: EventReader;
  readonly #onQueue: () => void;
  readonly #stopping = new AbortController();
  /** Signals that wait for an event that was stored before them. */
  readonly #early: { readonly signal: HostSignal; readonly behind: number }[] = [];
  readonly ring: Ring;
  /** The last event. */
  head: Mark | undefined;
  /** Grows when earlier content of the conversation was replaced. */
  generation = 0;
  end: End | undefined;

  private constructor(options: FollowerOptions, reader: EventReader, head?: Mark) {
    const { followed, growth, ringBytes, budget, onQueue } = options;
    this.followed = followed;
    this.#onQueue = onQueue;
    this.#growth = growth;
    this.#budget = budget;
    this.#reader = reader;
    this.head = head;
    this.ring = new Ring(ringBytes, budget, head?.seq ?? -1);
  }

  /** @throws OllmError what opening and reading throw */
  static async open(options: FollowerOptions): Promise<Follower> {
    const { followed } = options;
    const reader = await followed.open();
    try {
      const follower = new Follower(options, reader, await followed.head(reader));
      void follower.#follow();
      return follower;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  /** Sends a signal after the event with the seq `behind`. */
  signal(signal: HostSignal, behind: number): void {
    if (behind > (this.head?.seq ?? -1) || this.#early.length > 0) this.#early.push({ signal, behind });
    else this.#show(signal);
    this.#wake();
  }

  hint(): void {
    this.#growth.hint(this.followed.path);
  }

  stop(reason: End['reason'], data: object = {}): void {
    this.end ??= endItem(this.followed.id, reason, data);
    this.#stopping.abort();
    this.#wake();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    const growth = this.#growth.of(this.followed.path);
    try {
      const sleep = () => growth.wait(signal);
      for await (const batch of this.#reader.follow({ after: this.head?.position, signal, sleep })) {
        for (const outcome of batch) {
          if (outcome.kind === 'event') this.#take(outcome.event);
          else this.signal({ type: 'damage', reason: outcome.damage.reason }, -1);
        }
        this.#wake();
      }
    } catch (error) {
      this.stop('failed', problemOf(error));
    } finally {
      growth.end();
      this.#reader.close();
      this.#budget.remove(this.ring);
    }
  }

  #take(event: SessionEvent): void {
    const { followed, head } = this;
    const isNext =
      head === undefined || (followed.generationOf(event) === followed.generationOf(head) && event.seq > head.seq);
    if (!isNext) this.#begin();
    this.head = markOf(event);
    this.ring.push(eventItem(followed, event));
    this.text.see(event);
    if (event.type === 'queue.changed' || event.data.promptId !== undefined) this.#onQueue();
    while (this.#early.length > 0 && this.#early[0]!.behind <= event.seq) this.#show(this.#early.shift()!.signal);
  }

  /** A different conversation is at this place now. */
  #begin(): void {
    this.generation += 1;
    this.ring.push({ item: resetItem(this.followed.id, 'It was written again from its beginning.') });
  }

  #show(signal: HostSignal): void {
    this.text.hear(signal);
    this.ring.push({ item: signalItem(this.followed.id, signal) });
  }

  #wake(): void {
    for (const waiter of this.waiters) waiter.wake?.();
  }
}

export function signalItem(sessionId: string, signal: HostSignal): Extract<Delivery, { kind: 'signal' }> {
  return { kind: 'signal', type: signal.type, data: JSON.stringify({ sessionId, ...signal }) };
}

export function resetItem(sessionId: string, reason: string): Extract<Delivery, { kind: 'reset' }> {
  return { kind: 'reset', data: JSON.stringify({ sessionId, reason }) };
}

export function endItem(sessionId: string, reason: End['reason'], data: object = {}): End {
  return { kind: 'end', reason, data: JSON.stringify({ sessionId, reason, ...data }) };
}

export function problemOf(error: unknown): { readonly code: ErrorCode; readonly message: string } {
  return isOllmError(error)
    ? { code: error.code, message: error.message }
    : { code: 'INTERNAL', message: 'The session could not be followed.' };
}
