// What the subscribers of a session are sent.
import type { ErrorCode } from '../../errors/index.ts';
import type { JsonObject } from '../../journal/types.ts';
import type { QueuedPrompt } from './prompts.ts';
import type { QuestionEnd, UserQuestion } from './questions.ts';
import type { SessionActivity } from './snapshots.ts';

/**
 * What a subscriber is sent. Items of live sessions are made once and handed to all subscribers as the same object:
 * what is made of one (such as its bytes) can be kept in a WeakMap. `data` is JSON of one line.
 */
export type Delivery =
  /** The first item. `head`: the id of the last stored event now; what comes behind it is live. */
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
  /** The last item. `behind`: return with the last id. `closing`: the server ends. `gone`: the session was removed. */
  | { readonly kind: 'end'; readonly reason: 'behind' | 'closing' | 'gone' | 'failed'; readonly data: string };

/** What `data` of a signal holds, besides `sessionId`. */
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
  /** Something the user should know, such as what the opening of the session found. */
  | { readonly type: 'notice'; readonly text: string }
  /** The session is full (`retention.maxItems`): it continues in another one, and so does its queue. */
  | { readonly type: 'moved'; readonly to: string }
  | { readonly type: 'damage'; readonly reason: string };

export interface SubscribeOptions {
  /**
   * Id of the last stored event that the subscriber has: it is sent everything behind it, from the file in slices of
   * 64 KiB until it is in the ring. `start`: from the first event. Absent: only what comes from now on.
   */
  readonly after?: string | undefined;
  /** Ends the subscription, without an error. */
  readonly signal: AbortSignal;
}

export interface FollowersPort {
  /**
   * The events of one session and its signals, of any session: `id` is one of ours, or an address of another program's.
   * One follower reads for all subscribers. Batches are pulled: the next one is made when the subscriber asks for it,
   * so that one that waits for its socket holds up only itself.
   * @throws OllmError SESSION_NOT_FOUND, USAGE (`after` is not an id), and what the reader throws: before the first
   * batch
   */
  subscribe(id: string, options: SubscribeOptions): AsyncIterable<readonly Delivery[]>;
}
