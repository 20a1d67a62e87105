// The signals of a running turn: for the screen, never stored. The stored facts are events.
import type { OllmError } from '../errors/index.ts';
import type { Usage } from '../messages/index.ts';
import type { ModelToolCall } from '../providers/provider.ts';

/** How a turn ended. */
export type TurnStatus = 'completed' | 'cancelled' | 'failed' | 'loop' | 'budget';

/** Why an answer is not whole: the output limit, a filter of the provider, no text at all, or a reason of its own. */
export type Incomplete = 'length' | 'content-filter' | 'empty' | 'other';

export type TurnSignal =
  | { readonly type: 'start'; readonly turn: number }
  | { readonly type: 'delta'; readonly content: string }
  | { readonly type: 'reasoning'; readonly content: string }
  /**
   * More of the arguments of a call that the model is writing; `tool_call` brings all of it. `key` tells calls apart.
   */
  | { readonly type: 'tool_input'; readonly key: string; readonly name: string; readonly text: string }
  /** A message of the user's was added to the turn; the next request holds it. */
  | { readonly type: 'steered'; readonly text: string }
  | { readonly type: 'tool_call'; readonly call: ModelToolCall }
  /** Decided on and about to run. `summary`: one line for people. */
  | { readonly type: 'tool_started'; readonly callId: string; readonly name: string; readonly summary: string }
  /** Something that a running tool printed. */
  | { readonly type: 'tool_output'; readonly callId: string; readonly text: string }
  /** `content`: what a person is shown. */
  | {
      readonly type: 'tool_result';
      readonly callId: string;
      readonly status: string;
      readonly content: string;
      readonly durationMs?: number | undefined;
      /** It did not run because no user could be asked. */
      readonly unasked?: true | undefined;
      /** Bytes, where the model was not given all of it. */
      readonly truncated?: { readonly originalBytes: number; readonly keptBytes: number } | undefined;
    }
  /** The request is made again after `delayMs`. */
  | {
      readonly type: 'retry';
      /** The number of the next request, from 2. */
      readonly attempt: number;
      /** The number of requests at most. */
      readonly attempts: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  /** Something the user should know while the turn continues: a retry, messages that no longer fit the window. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'done'; readonly usage: Usage | undefined; readonly incomplete?: Incomplete | undefined }
  | { readonly type: 'error'; readonly error: OllmError }
  | { readonly type: 'cancelled' };
