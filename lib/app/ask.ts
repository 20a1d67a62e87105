// One turn of a conversation: the user's text in, signals out, and the facts in the journal.
import type { Observable } from 'rxjs';
import type { TurnInput } from '../turn/run-turn.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { App } from './app.ts';
import type { Conversation } from './conversation.ts';

export interface AskOptions {
  /** Cancels the turn: what had arrived is stored, then `cancelled` comes and the stream completes. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The signals of one turn, cold: it runs when subscribed to, once. The stream never errors: what goes wrong arrives as
 * the signal `error`, after it is stored. It ends with exactly one of `done`, `error`, `cancelled`. Unsubscribing
 * cancels as well; the session records it in the background and `session.close` waits for that.
 * The stored events of the turn come by `conversation.session.writer.subscribe`.
 */
export function ask(
  _app: App,
  _conversation: Conversation,
  _input: TurnInput,
  _options: AskOptions = {},
): Observable<TurnSignal> {
  throw new TypeError('not there yet');
}
