// `/undo` and `/retry`: the conversation goes on from before its last turn. Nothing leaves the journal.
import type { TurnInput } from '../turn/run-turn.ts';
import type { App } from './app.ts';
import type { Conversation } from './conversation.ts';

/** What was said in the turn that is undone; undefined if there is none left to undo. */
export async function undoTurn(_app: App, _conversation: Conversation): Promise<TurnInput | undefined> {
  throw new TypeError('not there yet');
}

/** As `undoTurn`, for asking the same again: hand the result to `ask`. */
export async function retryTurn(_app: App, _conversation: Conversation): Promise<TurnInput | undefined> {
  throw new TypeError('not there yet');
}
