// Shows messages of a session of another program, as it is there, from the one that its address names.
import type { ForeignSession } from '../../app/sessions/find/found.ts';
import { seqsOf } from '../../app/sessions/read/message-key.ts';
import { textOf } from '../../app/tools/past-messages.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { EventReader, SessionEvent } from '../../journal/types.ts';
import type { Role } from '../../messages/index.ts';
import type { CommandContext } from './command.ts';
import { printMessage } from './conversation.ts';

const MOST_SHOWN = 10;

export async function viewConversation(
  { front, signal }: Pick<CommandContext, 'front' | 'signal'>,
  { id, key, agentTitle, read }: ForeignSession,
): Promise<void> {
  const messages = await read((reader) => messagesOf(reader, key, signal));
  for (const { seq, data } of messages) printMessage(front, { seq, role: data.role as Role, text: textOf(data.parts) });
  if (messages.length === 0) front.print('Nothing was said in it.');
  front.notice(
    `This is a session of ${agentTitle}, shown as it is there; ollm export ${sanitizeLine(id)} has all of it.`,
  );
  front.notice(`/load ${sanitizeLine(id)} continues with it in a copy of your own.`);
}

async function messagesOf(
  reader: EventReader,
  key: string | undefined,
  signal: AbortSignal,
): Promise<readonly SessionEvent[]> {
  const from = key === undefined ? undefined : (await seqsOf(reader, key, signal)).from;
  const messages: SessionEvent[] = [];
  for await (const batch of reader.outcomes({ signal })) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage' || outcome.event.type !== 'message.added') continue;
      if (from !== undefined && (outcome.event.seq < from || messages.length === MOST_SHOWN)) continue;
      if (textOf(outcome.event.data.parts).trim() === '') continue;
      messages.push(outcome.event);
      if (messages.length > MOST_SHOWN) messages.shift();
    }
  }
  return messages;
}
