// The pieces of an answer that has not ended, as message.streamed stores them, until the message itself is stored. An
// answer that is still here when the journal ends was cut off by a kill: `cutOffMessage` is the message that the next
// opening stores for it (and that readers show until then: cut-off.ts).
import type { EventData, NewOllmEvent, OllmEventOf } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import type { Fold } from './projection.ts';

export const STREAMED_EVENTS = ['message.streamed', 'message.added', 'branch.moved'] as const;

export type StreamedEvent = OllmEventOf<(typeof STREAMED_EVENTS)[number]>;

/** An answer under way. */
export interface StreamedAnswer {
  readonly turn?: number;
  readonly model?: string;
  readonly provider?: string;
  /** In the order of the journal. */
  pieces: { readonly seq: number; readonly ts: string; readonly parts: readonly Part[] }[];
}

export interface StreamedState {
  answer?: StreamedAnswer | undefined;
}

/** Keeps the answer under way. */
export const streamedFold: Fold<StreamedState, (typeof STREAMED_EVENTS)[number]> = {
  name: 'streamed',
  version: 1,
  reads: STREAMED_EVENTS,
  initial: () => ({}),
  apply(state, event) {
    state.answer = withEvent(state.answer, event);
    return state;
  },
};

/** The answer under way after one more event. Takes `answer` over and changes it. */
export function withEvent(answer: StreamedAnswer | undefined, event: StreamedEvent): StreamedAnswer | undefined {
  switch (event.type) {
    case 'message.streamed': {
      const { begins, parts, model, provider } = event.data;
      const piece = { seq: event.seq, ts: event.ts, parts };
      if (answer !== undefined && begins === undefined && answer.turn === event.turn) {
        answer.pieces.push(piece);
        return answer;
      }
      return {
        ...(event.turn === undefined ? {} : { turn: event.turn }),
        ...(model === undefined ? {} : { model }),
        ...(provider === undefined ? {} : { provider }),
        pieces: [piece],
      };
    }
    case 'message.added':
      return event.data.role === 'assistant' && event.turn === answer?.turn ? undefined : answer;
    case 'branch.moved': {
      const pieces = answer?.pieces.filter(({ seq }) => seq <= event.data.head) ?? [];
      return answer === undefined || pieces.length === 0 ? undefined : { ...answer, pieces };
    }
  }
}

/** The message of an answer that was cut off, marked as one that broke off. */
export function cutOffMessage({ turn, model, provider, pieces }: StreamedAnswer): NewOllmEvent & {
  readonly type: 'message.added';
} {
  const data: EventData<'message.added'> = {
    role: 'assistant',
    parts: joined(pieces.flatMap(({ parts }) => parts)),
    trusted: false,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    finish: 'failed',
  };
  return { type: 'message.added', ...(turn === undefined ? {} : { turn }), data };
}

/** Parts that were cut where a piece ended are one part again. */
function joined(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  let chunks: string[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (last !== undefined && continues(last, part)) {
      chunks.push(textOf(part));
      continue;
    }
    close(whole, chunks);
    chunks = [textOf(part)];
    whole.push(part);
  }
  close(whole, chunks);
  return whole;
}

function continues(last: Part, part: Part): boolean {
  if (last.type === 'text') return part.type === 'text';
  return isPlainReasoning(last) && isPlainReasoning(part);
}

function isPlainReasoning(part: Part): boolean {
  return part.type === 'reasoning' && part.opaque === undefined;
}

/** Gives the last part the text of all that continued it. */
function close(whole: Part[], chunks: readonly string[]): void {
  const last = whole.at(-1);
  if (chunks.length > 1 && last !== undefined) whole[whole.length - 1] = { ...last, text: chunks.join('') } as Part;
}

function textOf(part: Part): string {
  return 'text' in part && typeof part.text === 'string' ? part.text : '';
}
