// The deliveries to subscribers of a session.
import type { ErrorCode } from '../../errors/index.ts';
import type { JsonObject } from '../../journal/types.ts';
import type { QueuedPrompt } from './prompts.ts';
import type { QuestionEnd, UserQuestion } from './questions.ts';
import type { SessionActivity } from './snapshots.ts';

/**
 * A delivery to a subscriber. Items of live sessions are made once, and all subscribers get the same object, so that
 * derived data (such as its bytes) can be kept in a WeakMap. `data` is JSON of one line.
 */
export type Delivery =
  /** The first item. `head`: the id of the last stored event now; later items are live. */
  | { readonly kind: 'hello'; readonly data: string; readonly head: string | undefined }
  /** The text of the message under way, as far as it has come; sent where there is one, before the live items. */
  | { readonly kind: 'partial'; readonly data: string }
  /** A stored event. `id` is its seq; of a session of another program `generation.seq`. */
  | { readonly kind: 'event'; readonly id: string; readonly type: string; readonly data: string }
  /** What changed in the list of sessions. */
  | { readonly kind: 'sessions'; readonly data: string }
  /** Passes by, and is never sent again: see `HostSignal`. */
  | { readonly kind: 'signal'; readonly type: HostSignal['type']; readonly data: string }
  /**
   * What this subscriber knows is out of date: the generation of its id is gone, or the journal was replaced. `data`
   * has the reason. The session follows from its beginning.
   */
  | { readonly kind: 'reset'; readonly data: string }
  /**
   * The last item. `behind`: subscribe again with the last id. `closing`: the server ends. `gone`: the session was
   * removed.
   */
  | { readonly kind: 'end'; readonly reason: 'behind' | 'closing' | 'gone' | 'failed'; readonly data: string };

/** The members of a signal's `data`, in addition to `sessionId`. */
export type HostSignal =
  /**
   * The signals of a running turn, as `TurnSignal` has them, each with its `promptId`. Deltas are joined: at most one
   * each 15 ms.
   */
  | { readonly type: 'turn'; readonly promptId: string; readonly signal: JsonObject }
  | { readonly type: 'activity'; readonly activity: SessionActivity }
  | { readonly type: 'queue'; readonly queue: readonly QueuedPrompt[] }
  | { readonly type: 'question'; readonly question: UserQuestion }
  | { readonly type: 'question-end'; readonly end: QuestionEnd }
  /** Something went wrong before a turn had begun, so that no event says it. */
  | {
      readonly type: 'problem';
      readonly promptId: string;
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint?: string | undefined;
    }
  /** A notice for the user, such as the findings of opening the session. */
  | { readonly type: 'notice'; readonly text: string }
  /** The session is full (`retention.maxItems`): it continues in another one, and so does its queue. */
  | { readonly type: 'moved'; readonly to: string }
  | { readonly type: 'damage'; readonly reason: string };

export interface SubscribeOptions {
  /**
   * Id of the last stored event that the subscriber has: it gets everything after it, from the file in slices of 64 KiB
   * until it is in the ring. `start`: from the first event. Absent: only new events.
   */
  readonly after?: string | undefined;
  /** Ends the subscription, without an error. */
  readonly signal: AbortSignal;
}
