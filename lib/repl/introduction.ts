// What is said when a session was opened: who answers and why, how to change that, which session it is, and everything
// that opening found. Plain sentences; the same for a new session, a resumed one and /load.
import type { Conversation } from '../app/conversation.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import type { Front } from './front.ts';

export function introduce(
  front: Front,
  { choice, session, ephemeral, notices }: Conversation,
  { isNew = session.report.created }: { readonly isNew?: boolean } = {},
): void {
  front.notice(`${sanitizeLine(choice.why)} Model: ${sanitizeLine(choice.model)}. /help shows what there is.`);
  front.notice(sessionSentence(session.id, { isNew, ephemeral }));
  for (const notice of notices) front.notice(sanitizeLine(notice));
}

function sessionSentence(id: string, { isNew, ephemeral }: { isNew: boolean; ephemeral: boolean }): string {
  if (ephemeral) return `Session ${id}, ephemeral: it is gone when you leave, unless you /save it.`;
  return isNew ? `Session ${id}, new.` : `Session ${id}, resumed.`;
}
