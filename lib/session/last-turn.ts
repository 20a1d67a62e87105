// The last turn that is still part of the conversation, and the turn of an event, both found backwards. Turns that
// `/undo` and `/retry` took back before are passed over, so undoing twice takes back two turns. Reads no further.
import { eachEvent } from '../journal/reading/outcomes.ts';
import type { JournalReader, JsonObject, StoredEvent } from '../journal/types.ts';
import type { Part } from '../messages/index.ts';
import { isPrompt } from '../projections/message-pieces.ts';

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
  const see = turnsBackwards();
  for await (const event of eachEvent(reader.backwards())) {
    if (event.seq > liveUpTo) continue;
    if (event.type === 'branch.moved') liveUpTo = headOf(event.data);
    const turn = see(event);
    if (turn !== undefined) return turn;
  }
  return undefined;
}

/** The turn that an event belongs to. Undefined: the event does not exist, or no turn had begun by then. */
export async function turnAt(reader: Pick<JournalReader, 'backwards'>, seq: number): Promise<LiveTurn | undefined> {
  let isThere = false;
  const see = turnsBackwards();
  for await (const event of eachEvent(reader.backwards())) {
    if (event.seq === seq) isThere = true;
    if (event.seq < seq && !isThere) return undefined;
    const turn = see(event);
    if (isThere && turn !== undefined) return turn;
  }
  return undefined;
}

type MessageRole = Parameters<typeof isPrompt>[0] & JsonObject;

/** Is given the events from the last to the first, and returns each turn at its first one. */
function turnsBackwards(): (event: StoredEvent) => LiveTurn | undefined {
  let parts: readonly Part[] | undefined;
  let isTyped = false;
  return ({ seq, type, turn, data }) => {
    if (type === 'tool.decided') isTyped ||= data.rule === 'typed';
    if (type === 'message.added' && isPrompt(data as MessageRole)) parts = data.parts as readonly Part[];
    if (type !== 'turn.started') return undefined;
    const begun = { turn, before: seq - 1, input: String(data.input ?? ''), parts, isTyped };
    parts = undefined;
    isTyped = false;
    return begun;
  };
}

function headOf(data: JsonObject): number {
  return typeof data.head === 'number' ? data.head : Number.POSITIVE_INFINITY;
}
