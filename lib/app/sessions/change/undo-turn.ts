// `/undo` and `/retry`: the conversation continues from before its last turn. Nothing leaves the journal.
import { OllmError } from '../../../errors/index.ts';
import { lastLiveTurn } from '../../../session/last-turn.ts';
import type { TurnInput } from '../../../turn/run-turn.ts';
import type { App } from '../../app.ts';
import { type Conversation, requireConversation } from '../../conversation.ts';
import { readJournal } from '../../journals/read-journal.ts';

/** The messages of a turn that was taken back. */
export interface UndoneTurn extends TurnInput {
  /** seq of the event that the conversation continues from. */
  readonly since: number;
}

/**
 * Continues from before the last turn. Returns its messages; undefined if there is none left to undo.
 *
 * @example
 * const taken = await undoTurn(app, conversation);
 */
export async function undoTurn(_app: App, conversation: Conversation): Promise<UndoneTurn | undefined> {
  return takeBack(conversation, 'undo');
}

/**
 * As `undoTurn`, for asking the same again.
 *
 * @example
 * const input = await retryTurn(app, conversation);
 * if (input) ask(app, conversation, input).subscribe();
 * @throws OllmError USAGE: the last turn was a command that the user typed
 */
export async function retryTurn(_app: App, conversation: Conversation): Promise<TurnInput | undefined> {
  return takeBack(conversation, 'retry');
}

async function takeBack(conversation: Conversation, reason: 'undo' | 'retry'): Promise<UndoneTurn | undefined> {
  const { session, store } = requireConversation(conversation, 'Open the session first: openConversation.');
  return session.exclusively(async () => {
    const last = await readJournal(store, session.id, lastLiveTurn);
    if (last === undefined) return undefined;
    if (last.isTyped && reason === 'retry') throw nothingAsked(last.input);
    await session.append({ type: 'branch.moved', data: { head: last.before, reason } });
    return { text: last.input, parts: last.parts, since: last.before };
  });
}

function nothingAsked(command: string): OllmError {
  return new OllmError('USAGE', `The last turn asked no model: it ran ${command}`, {
    hint: 'Type the command again, or /undo it first.',
  });
}
