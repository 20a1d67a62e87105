// The first lines of a session: its provider and model and the reason for them, how to change that, which session it
// is, and everything that opening found. Plain sentences; the same for a new session, a resumed one and /load. One that
// continues shows its last exchange.
import type { Conversation } from '../app/conversation.ts';
import { AS_LEFT } from '../app/sessions/open/open-session.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { shortId } from '../display/short-id.ts';
import type { Front } from './front.ts';
import { lastExchange } from './said.ts';

/** Of the last exchange of a session that continues. */
const MOST_ROWS = 60;

export async function introduce(
  front: Front,
  { choice, session, ephemeral, notices }: Conversation,
  { isNew = session.report.created }: { readonly isNew?: boolean } = {},
): Promise<void> {
  // A session that continues as it was left needs no more than its status line.
  if (isNew || front.kind === 'pipe' || !choice.why.endsWith(AS_LEFT))
    front.notice(`${sanitizeLine(choice.why)} Model: ${sanitizeLine(choice.model)}. /help lists the commands.`);
  const { title } = session.states.summary;
  front.notice(sessionSentence(session.id, { isNew, ephemeral, title }));
  for (const notice of notices) front.notice(sanitizeLine(notice));
  // A script that continues with a session through a pipe asks for what it wants to see.
  if (isNew || front.kind === 'pipe') return;
  const said = lastExchange(session.states.view);
  if (said.length === 0) return;
  front.print('');
  await front.show(said, { mostRows: MOST_ROWS });
}

interface Opened {
  readonly isNew: boolean;
  readonly ephemeral: boolean;
  readonly title: string | undefined;
}

function sessionSentence(id: string, { isNew, ephemeral, title }: Opened): string {
  const shown = shortId(id);
  if (ephemeral) return `Session ${shown}, ephemeral: it is not kept when you leave, unless you /save it.`;
  if (!isNew) return `Session ${shown}, resumed.`;
  // The id of a name such as “Release notes” or “nul” is another text than the name.
  return title === undefined || title === id
    ? `Session ${shown}, new.`
    : `Session ${shown} (“${sanitizeLine(title)}”), new.`;
}
