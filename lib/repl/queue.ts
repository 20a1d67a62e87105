// Input entered while something ran. Each entry is sent in turn, as if it were typed then. The journal has the messages
// in their order, so that they are offered again after a crash. Commands wait only here, because a journal may come
// from anywhere. Steering messages go into the running turn instead, with its next request. After a turn that failed or
// was cancelled the queue rests: a message that was meant to follow an answer may be wrong without it.
import type { Entered } from './entered.ts';
import { isShownAsIs } from './input/paste-shelf.ts';

type Message = Extract<Entered, { readonly type: 'message' }>;

/** A message that the running turn takes. `typed`: the same without long pastes. */
type Steering = Omit<Message, 'type'>;

/** Keeps messages while they wait. */
export interface QueueRecord {
  /** All that are kept, the next one first. */
  prompts(): readonly { readonly promptId: string }[];
  /** Answers with the id that the message is kept by; undefined where it is not kept. */
  added(text: string): string | undefined;
  /** They wait no longer, and were not sent. */
  removed(promptIds: readonly string[]): void;
}

const UNRECORDED: QueueRecord = { prompts: () => [], added: () => undefined, removed: () => {} };

interface Waiting {
  readonly entered: Entered;
  /** Whether it goes into the turn that runs, or was too late for the last one: then it is the first. */
  use?: 'steers' | 'late' | undefined;
  /** Whether the journal had it. */
  isKept?: boolean;
}

export class MessageQueue {
  #record = UNRECORDED;
  /** As it was entered. */
  #waiting: Waiting[] = [];
  #isResting = false;
  /** Some are from an earlier run, and the user has not said yet that they may be sent. */
  #isOffered = false;

  /** Oldest first, without what steers. */
  get entries(): readonly Entered[] {
    return this.#ordered().flatMap(({ entered, use }) => (use === 'steers' ? [] : [entered]));
  }

  /** What no request has taken yet. */
  get steering(): readonly Steering[] {
    return this.#ordered().flatMap(({ entered, use }) => (use === 'steers' ? [entered as Message] : []));
  }

  has(promptId: string): boolean {
    return this.#waiting.some(({ entered }) => idOf(entered) === promptId);
  }

  get isResting(): boolean {
    return (this.#isResting || this.#isOffered) && this.entries.length > 0;
  }

  /** From now on messages are kept by this. */
  keepIn(record: QueueRecord): void {
    this.#record = record;
  }

  add(entered: Entered): void {
    this.#waiting.push({ entered: this.#kept(entered) });
  }

  steer(message: Steering): void {
    this.#waiting.push({ entered: this.#kept({ type: 'message', ...message }), use: 'steers' });
  }

  /** Takes over what an earlier run of the session left, for the user to decide on. */
  offer(prompts: readonly { readonly promptId: string; readonly text: string }[]): void {
    if (prompts.length === 0) return;
    this.#isOffered = true;
    const offered = prompts.map(({ promptId, text }): Waiting => {
      // In a long paste an @ names no file.
      return { entered: { type: 'message', text, typed: isShownAsIs(text) ? text : '', promptId } };
    });
    this.#waiting.unshift(...offered);
  }

  /** The next one; undefined if there is none, or the queue rests. */
  take(): Entered | undefined {
    const [next] = this.isResting ? [] : this.entries;
    if (next !== undefined) this.#drop([next]);
    return next;
  }

  /** Takes what steers: a request is about to be made. */
  takeSteering(): readonly Steering[] {
    const taken = this.steering;
    this.#waiting = this.#waiting.filter(({ use }) => use !== 'steers');
    return taken;
  }

  /** The turn is over: what no request has taken is the first of the queue. */
  endTurn({ isCompleted }: { readonly isCompleted: boolean }): void {
    for (const each of this.#waiting) if (each.use === 'steers') each.use = 'late';
    this.#isResting = !isCompleted && this.entries.length > 0;
  }

  /**
   * Takes one out, to be changed or dropped. `number`: from 1, in the order of `entries`. Undefined if there is none.
   */
  remove(number: number): Entered | undefined {
    const removed = number >= 1 ? this.entries[number - 1] : undefined;
    if (removed !== undefined) this.#forget([removed]);
    return removed;
  }

  clear(): void {
    this.#forget(this.entries);
    this.#isOffered = false;
  }

  resume(): void {
    this.#isResting = false;
    this.#isOffered = false;
  }

  /** In the order of the journal: a command follows the message that it was entered after. */
  #ordered(): readonly Waiting[] {
    const places = new Map(this.#record.prompts().map(({ promptId }, place) => [promptId, place]));
    for (const each of this.#waiting) each.isKept ||= places.has(idOf(each.entered) ?? '');
    this.#waiting = this.#waiting.filter(({ entered, isKept }) => !isKept || places.has(idOf(entered)!));
    let last = -1;
    const placed = this.#waiting.map((each) => {
      last = places.get(idOf(each.entered) ?? '') ?? last;
      return { each, place: each.use === 'late' ? -2 : last };
    });
    return placed.sort((a, b) => a.place - b.place).map(({ each }) => each);
  }

  #kept(entered: Entered): Entered {
    const promptId = entered.type === 'message' ? this.#record.added(entered.text) : undefined;
    return promptId === undefined ? entered : { ...(entered as Message), promptId };
  }

  #drop(entries: readonly Entered[]): void {
    this.#waiting = this.#waiting.filter(({ entered }) => !entries.includes(entered));
  }

  #forget(entries: readonly Entered[]): void {
    this.#drop(entries);
    const kept = entries.flatMap((entered) => idOf(entered) ?? []);
    if (kept.length > 0) this.#record.removed(kept);
  }
}

function idOf(entered: Entered): string | undefined {
  return entered.type === 'message' ? entered.promptId : undefined;
}
