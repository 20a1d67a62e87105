// `/title`, and `ollm show` of a name: the session is called this from now on.
import type { App } from './app.ts';
import type { Conversation } from './conversation.ts';

export async function titleSession(_app: App, _conversation: Conversation, _title: string): Promise<void> {
  throw new TypeError('not there yet');
}
