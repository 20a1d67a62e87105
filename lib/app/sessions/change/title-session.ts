// `/title`: the session is called this from now on, in lists and wherever an id is asked for.
import { OllmError } from '../../../errors/index.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';

const MAX_TITLE_LENGTH = 200;

/**
 * Calls the session something else from now on, in lists and wherever an id is asked for.
 *
 * @example
 * await titleSession(app, conversation, 'The garden');
 * @throws OllmError USAGE if the title is empty or too long
 */
export async function titleSession(app: App, { session }: Conversation, title: string): Promise<void> {
  const redact = await app.redactor();
  const clean = redact(title)
    .text.replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (clean === '' || clean.length > MAX_TITLE_LENGTH) {
    throw new OllmError('USAGE', `A title has 1 to ${MAX_TITLE_LENGTH} characters.`);
  }
  await session.append({ type: 'session.titled', data: { title: clean, by: 'user' } });
}
