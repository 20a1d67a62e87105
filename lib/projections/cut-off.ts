// What readers show of an answer that was cut off by a kill, until the next opening stores it as a message: the same
// message, in the place of its last piece. Pieces of answers whose message is stored are passed over.
import { decodeEvent } from '../events/decode.ts';
import { eventsOf } from '../journal/reading/outcomes.ts';
import type { Batches, EventReader, JsonObject, Outcome, SessionEvent } from '../journal/types.ts';
import { type ReplayOptions, replay } from './replay.ts';
import { createReplayer, type Folds, type Replayed } from './replayer.ts';
import {
  cutOffMessage,
  STREAMED_EVENTS,
  type StreamedAnswer,
  type StreamedEvent,
  type StreamedState,
  streamedFold,
} from './streamed.ts';

/** Like `replay`, with the message of an answer that was cut off. */
export async function replayWithCutOff<Some extends Folds, Event extends SessionEvent>(
  reader: Pick<EventReader<Event>, 'id' | 'outcomes'>,
  folds: Some,
  options: Omit<ReplayOptions<Some, Event>, 'from'> = {},
): Promise<Replayed<Some, Event['position']>> {
  const streamed = { 'streamed answer': streamedFold };
  const replayed = await replay(reader, { ...folds, ...streamed } as Some & typeof streamed, options);
  const { answer } = replayed.states['streamed answer'] as StreamedState;
  if (answer === undefined) return replayed;
  const replayer = createReplayer<Some>(folds, { from: replayed });
  replayer.see({ ...cutOffEvent(answer), seq: replayed.lastSeq + 1 });
  return { ...replayed, states: replayer.states };
}

/** The events without pieces of answers; at the end the message of an answer that was cut off. */
export async function* withCutOff(
  outcomes: Batches<SessionEvent>,
): AsyncGenerator<readonly Outcome<SessionEvent>[], void, void> {
  let state = streamedFold.initial();
  for await (const batch of outcomes) {
    for (const event of eventsOf(batch)) state = seen(state, event);
    yield batch.filter((outcome) => !isPiece(outcome));
  }
  if (state.answer !== undefined) yield [{ kind: 'event', event: cutOffEvent(state.answer) }];
}

function seen(state: StreamedState, stored: SessionEvent): StreamedState {
  if (!STREAMED_EVENTS.some((type) => type === stored.type)) return state;
  const decoded = decodeEvent(stored);
  return decoded.kind === 'known' ? streamedFold.apply(state, decoded.event as StreamedEvent) : state;
}

function isPiece(outcome: Outcome<SessionEvent>): boolean {
  return outcome.kind === 'event' && outcome.event.type === 'message.streamed';
}

/** The message in the place of its last piece. */
function cutOffEvent(answer: StreamedAnswer): SessionEvent {
  const { seq, ts } = answer.pieces.at(-1)!;
  const { data, ...message } = cutOffMessage(answer);
  return { seq, ts, ...message, data: data as unknown as JsonObject, position: undefined };
}
