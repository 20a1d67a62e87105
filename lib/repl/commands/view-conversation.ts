// Shows messages of a session of another program, as it is there, from the one that its address names.
import type { ForeignSession } from '../../app/find/found.ts';
import { conversationItems } from '../../app/sessions/read/conversation-items.ts';
import { seqsOf } from '../../app/sessions/read/message-key.ts';
import { textOf } from '../../app/tools/past-messages.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { EventReader } from '../../journal/types.ts';
import type { ConversationItem } from '../../projections/conversation.ts';
import { addToMessages, type WholeMessage } from '../../projections/whole-messages.ts';
import type { CommandContext } from './command.ts';
import { printMessage } from './conversation.ts';

const MOST_SHOWN = 10;
/** More messages than this are thinned out to those with text. */
const MOST_HELD = 100;

export async function viewConversation(
  { front, signal }: Pick<CommandContext, 'front' | 'signal'>,
  { id, key, agentTitle, read }: ForeignSession,
): Promise<void> {
  const messages = await read((reader) => messagesOf(reader, key, signal));
  for (const { seq, role, parts } of messages) printMessage(front, { seq, role, text: textOf(parts) });
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
): Promise<readonly WholeMessage[]> {
  const from = key === undefined ? 0 : (await seqsOf(reader, key, signal)).from;
  let messages: WholeMessage[] = [];
  for await (const items of conversationItems(reader, { signal })) {
    for (const item of items) if (lastSeqOf(item) >= from) addToMessages(messages, item);
    if (messages.length <= MOST_HELD) continue;
    // The newest one may have further pieces.
    const shown = messages.filter((message) => isShown(message) || message === messages.at(-1));
    if (key !== undefined && shown.length > MOST_SHOWN) break;
    messages = key === undefined ? shown.slice(-MOST_SHOWN - 1) : shown;
  }
  const shown = messages.filter(isShown);
  return key === undefined ? shown.slice(-MOST_SHOWN) : shown.slice(0, MOST_SHOWN);
}

function isShown({ parts }: WholeMessage): boolean {
  return textOf(parts).trim() !== '';
}

function lastSeqOf(item: ConversationItem): number {
  return item.kind === 'message' ? item.pieces.at(-1)!.seq : item.seq;
}
