// `/title` and `ollm title`: the session is called this from now on, in lists and wherever an id is asked for. The
// user's title for a session of another program is noted in ollm's home, and in its import; the program's own files are
// not written.
import { checkArguments } from '../../../errors/arguments.ts';
import { OllmError } from '../../../errors/index.ts';
import type { NewEvent } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import { type Conversation, requireConversation } from '../../conversation.ts';
import { findConversation } from '../../find/find-session.ts';
import { titleForeign } from '../../list/foreign-notes.ts';

const MAX_TITLE_LENGTH = 200;

/**
 * Calls the session something else from now on, in lists and wherever an id is asked for.
 *
 * @example
 * await titleSession(app, conversation, 'The garden');
 * @throws OllmError USAGE if the title is empty or too long
 */
export async function titleSession(app: App, conversation: Conversation, title: string): Promise<void> {
  checkArguments('titleSession', { app: 'App', conversation: 'anything', title: 'text' }, [app, conversation, title]);
  const { session } = requireConversation(conversation, '"titleStored" takes a name, an id or an address.');
  await session.append(titledEvent(await cleanTitle(app, title)));
}

/**
 * Titles a session that is not open here, of ollm or of another program. Returns its id or address, and the title as it
 * is stored.
 *
 * @example
 * const { id, title } = await titleStored(app, 'claude:5f3c', 'The garden');
 * @throws OllmError USAGE (the title is empty or too long, or the reference names one message), SESSION_NOT_FOUND,
 * SESSION_AMBIGUOUS, JOURNAL_LOCKED
 */
export async function titleStored(app: App, reference: string, text: string): Promise<{ id: string; title: string }> {
  const title = await cleanTitle(app, text);
  const found = await findConversation(app, reference);
  if (found.key !== undefined) {
    throw new OllmError('USAGE', 'A session has a title, and one message of it has none.', {
      hint: 'Leave out what is behind #.',
    });
  }
  const { id } = found;
  const journal = found.kind === 'own' ? id : found.importId;
  if (journal !== undefined) await titleJournal(app, journal, title);
  if (found.kind === 'foreign') await titleForeign(app, id, title);
  return { id, title };
}

/** @throws OllmError JOURNAL_LOCKED: it is open in another process */
async function titleJournal({ store, config }: App, id: string, title: string): Promise<void> {
  const writer = await store.openWriter(id, { policy: config.services.session.durability });
  try {
    const closed: NewEvent = { type: 'session.closed', data: { reason: 'exit' } };
    await writer.append([titledEvent(title), closed], { durability: 'disk' });
  } finally {
    await writer.close();
  }
}

function titledEvent(title: string) {
  return { type: 'session.titled', data: { title, by: 'user' } } as const;
}

async function cleanTitle(app: App, title: string): Promise<string> {
  const redact = await app.redactor();
  const clean = redact(title)
    .text.replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (clean !== '' && clean.length <= MAX_TITLE_LENGTH) return clean;
  throw new OllmError('USAGE', `A title has 1 to ${MAX_TITLE_LENGTH} characters.`);
}
