// The messages of a conversation, each once, in its newest form: its pieces are joined, and a later form replaces them.
import type { Part, Role } from '../messages/index.ts';
import { type ConversationItem, type PlacedItem, partsOf } from './conversation.ts';

/** `seq`: of its first piece. */
export interface WholeMessage extends PlacedItem {
  readonly role: Role;
  parts: readonly Part[];
  /** seq of all events that it was made of, oldest first. */
  readonly events: number[];
}

/** Takes one more item in. A piece of a message that is not among these begins one. */
export function addToMessages(messages: WholeMessage[], item: ConversationItem): void {
  if (item.kind === 'message') {
    const { seq, ts, data, undone, continues, inTurn } = item;
    const events = item.pieces.map((piece) => piece.seq);
    const begun = messageAt(messages, continues);
    if (begun === undefined) {
      messages.push({ seq, ts, role: data.role, undone, inTurn, parts: partsOf(item), events });
      return;
    }
    begun.parts = [...begun.parts, ...partsOf(item)];
    begun.events.push(...events);
  } else if (item.kind === 'replaced') {
    const replaced = messageAt(messages, item.of);
    if (replaced === undefined) return;
    replaced.parts = item.parts;
    replaced.events.push(item.seq);
  }
}

function messageAt(messages: readonly WholeMessage[], seq: number | undefined): WholeMessage | undefined {
  return seq === undefined ? undefined : messages.findLast((message) => message.seq === seq);
}
