// What the user entered while something ran: it comes next, one after the other, as if it were typed then. What steers
// goes into the running turn instead, with its next request. After a turn that failed or was cancelled the queue rests:
// what was meant to follow an answer may be wrong without one.
import type { Entered } from './entered.ts';

/** A message that the running turn takes. `typed`: the same without long pastes. */
export type Steering = Pick<Extract<Entered, { readonly type: 'message' }>, 'text' | 'typed'>;

export class MessageQueue {
  #entries: Entered[] = [];
  #steering: Steering[] = [];
  #isResting = false;

  /** Oldest first, without what steers. */
  get entries(): readonly Entered[] {
    return this.#entries;
  }

  /** What no request has taken yet. */
  get steering(): readonly Steering[] {
    return this.#steering;
  }

  get isResting(): boolean {
    return this.#isResting && this.#entries.length > 0;
  }

  add(entered: Entered): void {
    this.#entries.push(entered);
  }

  steer(message: Steering): void {
    this.#steering.push(message);
  }

  /** The next one; undefined if there is none, or the queue rests. */
  take(): Entered | undefined {
    if (this.#isResting) return undefined;
    return this.#entries.shift();
  }

  /** Takes what steers: a request is about to be made. */
  takeSteering(): readonly Steering[] {
    const taken = this.#steering;
    this.#steering = [];
    return taken;
  }

  /** The turn is over: what no request has taken is the first of the queue. */
  endTurn({ isCompleted }: { readonly isCompleted: boolean }): void {
    const left = this.takeSteering().map((message) => ({ type: 'message', ...message }) as const);
    this.#entries.unshift(...left);
    this.#isResting = !isCompleted && this.#entries.length > 0;
  }

  /** `number`: from 1, in the order of `entries`. False if there is none. */
  remove(number: number): boolean {
    return number >= 1 && this.#entries.splice(number - 1, 1).length > 0;
  }

  clear(): void {
    this.#entries = [];
  }

  resume(): void {
    this.#isResting = false;
  }
}
