// Input entered while something ran, in its order. Each entry is sent in turn, as if it were typed then. Steering
// messages go into the running turn instead, with its next request. After a turn that failed or was cancelled the queue
// rests: a message that was meant to follow an answer may be wrong without it. Messages are kept in the journal while
// they wait, so that they are offered again after a crash; commands are not, because a journal may come from anywhere.
import type { Entered } from './entered.ts';
import { isShownAsIs } from './input/paste-shelf.ts';

type Message = Extract<Entered, { readonly type: 'message' }>;

/** A message that the running turn takes. `typed`: the same without long pastes. */
type Steering = Omit<Message, 'type'>;

/** Keeps messages while they wait. */
export interface QueueRecord {
  /** Answers with the id that the message is kept by; undefined where it is not kept. */
  added(text: string): string | undefined;
  /** They wait no longer, and were not sent. */
  removed(promptIds: readonly string[]): void;
}

const UNRECORDED: QueueRecord = { added: () => undefined, removed: () => {} };

export class MessageQueue {
  #record = UNRECORDED;
  #entries: Entered[] = [];
  #steering: Steering[] = [];
  #isResting = false;
  /** Some are from an earlier run, and the user has not said yet that they may be sent. */
  #isOffered = false;

  /** Oldest first, without what steers. */
  get entries(): readonly Entered[] {
    return this.#entries;
  }

  /** What no request has taken yet. */
  get steering(): readonly Steering[] {
    return this.#steering;
  }

  has(promptId: string): boolean {
    return this.#entries.some((entered) => entered.type === 'message' && entered.promptId === promptId);
  }

  get isResting(): boolean {
    return (this.#isResting || this.#isOffered) && this.#entries.length > 0;
  }

  /** From now on messages are kept by this. */
  keepIn(record: QueueRecord): void {
    this.#record = record;
  }

  add(entered: Entered): void {
    this.#entries.push(entered.type === 'message' ? this.#kept(entered) : entered);
  }

  steer(message: Steering): void {
    this.#steering.push(this.#kept(message));
  }

  /** Takes over what an earlier run of the session left, for the user to decide on. */
  offer(prompts: readonly { readonly promptId: string; readonly text: string }[]): void {
    if (prompts.length === 0) return;
    this.#isOffered = true;
    this.#entries.unshift(
      // In a long paste an @ names no file.
      ...prompts.map(({ promptId, text }) => {
        const typed = isShownAsIs(text) ? text : '';
        return { type: 'message', text, typed, promptId } as const;
      }),
    );
  }

  /** The next one; undefined if there is none, or the queue rests. */
  take(): Entered | undefined {
    if (this.isResting) return undefined;
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

  /**
   * Takes one out, to be changed or dropped. `number`: from 1, in the order of `entries`. Undefined if there is none.
   */
  remove(number: number): Entered | undefined {
    const [removed] = number >= 1 ? this.#entries.splice(number - 1, 1) : [];
    if (removed !== undefined) this.#forget([removed]);
    return removed;
  }

  clear(): void {
    this.#forget(this.#entries);
    this.#entries = [];
    this.#isOffered = false;
  }

  resume(): void {
    this.#isResting = false;
    this.#isOffered = false;
  }

  #kept<Kept extends Steering>(message: Kept): Kept {
    const promptId = this.#record.added(message.text);
    return promptId === undefined ? message : { ...message, promptId };
  }

  #forget(entries: readonly Entered[]): void {
    const kept = entries.flatMap((entered) =>
      entered.type === 'message' && entered.promptId !== undefined ? [entered.promptId] : [],
    );
    if (kept.length > 0) this.#record.removed(kept);
  }
}
