// The settled items of a conversation, in groups, as its events are read: only items that calls wait for are in memory.
import { decodeEvent } from '../../../events/decode.ts';
import { eventsOf } from '../../../journal/reading/outcomes.ts';
import type { EventReader, ReadOptions, SessionEvent } from '../../../journal/types.ts';
import { addEvent, type ConversationItem, emptyConversation, takeSettled } from '../../../projections/conversation.ts';

export async function* conversationItems<Event extends SessionEvent>(
  reader: Pick<EventReader<Event>, 'outcomes'>,
  options: ReadOptions<Event['position']> = {},
): AsyncGenerator<readonly ConversationItem[], void, void> {
  const conversation = emptyConversation();
  for await (const batch of reader.outcomes(options)) {
    for (const event of eventsOf(batch)) {
      const decoded = decodeEvent(event);
      if (decoded.kind === 'known') addEvent(conversation, decoded.event);
    }
    yield takeSettled(conversation);
  }
  yield takeSettled(conversation, { all: true });
}
