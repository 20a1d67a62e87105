// `/save`: the snapshot is refreshed at once; an ephemeral session is written to disk after all, under its id.
import type { App } from './app.ts';
import type { Conversation } from './conversation.ts';

/** The conversation to go on with: the same, or its successor on disk. */
export async function saveSession(_app: App, _conversation: Conversation): Promise<Conversation> {
  throw new TypeError('not there yet');
}
