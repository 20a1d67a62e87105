// The turn that an event belongs to, found backwards from it: its input, and where it began.
import { eachEvent } from '../journal/reading/outcomes.ts';
import type { JournalReader, JsonObject } from '../journal/types.ts';
import type { Part } from '../messages/index.ts';
import { isPrompt } from '../projections/message-pieces.ts';
import type { LiveTurn } from './last-turn.ts';

type MessageRole = Parameters<typeof isPrompt>[0] & JsonObject;

/** Undefined: the event does not exist, or no turn had begun by then. */
export async function turnAt(
  reader: Pick<JournalReader, 'backwards'>,
  seq: number,
): Promise<Omit<LiveTurn, 'turn'> | undefined> {
  let isThere = false;
  let parts: readonly Part[] | undefined;
  let isTyped = false;
  for await (const event of eachEvent(reader.backwards())) {
    if (event.seq === seq) isThere = true;
    if (event.seq < seq && !isThere) return undefined;
    if (event.type === 'tool.decided') isTyped ||= event.data.rule === 'typed';
    else if (event.type === 'message.added' && isPrompt(event.data as MessageRole)) {
      parts = event.data.parts as readonly Part[];
    } else if (event.type === 'turn.started') {
      if (isThere) return { before: event.seq - 1, input: String(event.data.input ?? ''), parts, isTyped };
      parts = undefined;
      isTyped = false;
    }
  }
  return undefined;
}
