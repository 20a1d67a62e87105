// The last turn that is still part of the conversation, found from the end of the journal. What `/undo` and `/retry`
// took back before is passed over, so undoing twice takes back two turns. Reads no further than that turn.
import { eachEvent } from '../journal/reading/outcomes.ts';
import type { JournalReader, JsonObject } from '../journal/types.ts';
import type { Part } from '../messages/index.ts';

export interface LiveTurn {
  readonly turn: number | undefined;
  /** seq of the event before it: where the conversation continues from when the turn is undone. */
  readonly before: number;
  /** The user's message. */
  readonly input: string;
  /** The message as it is stored: more than `input` where a file came with it. */
  readonly parts: readonly Part[] | undefined;
  /** It was a command that the user typed for a shell, and no model was asked. */
  readonly isTyped: boolean;
}

export async function lastLiveTurn(reader: Pick<JournalReader, 'backwards'>): Promise<LiveTurn | undefined> {
  let liveUpTo = Number.POSITIVE_INFINITY;
  let parts: readonly Part[] | undefined;
  let isTyped = false;
  for await (const event of eachEvent(reader.backwards())) {
    if (event.seq > liveUpTo) continue;
    if (event.type === 'branch.moved') liveUpTo = headOf(event.data);
    else if (event.type === 'tool.decided') isTyped ||= event.data.rule === 'typed';
    else if (event.type === 'message.added' && event.data.role === 'user') parts = event.data.parts as readonly Part[];
    else if (event.type === 'turn.started') {
      return { turn: event.turn, before: event.seq - 1, input: String(event.data.input ?? ''), parts, isTyped };
    }
  }
  return undefined;
}

function headOf(data: JsonObject): number {
  return typeof data.head === 'number' ? data.head : Number.POSITIVE_INFINITY;
}
