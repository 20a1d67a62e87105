// What a crash left open is closed by appended events, never by changing what stands there. Pure: states in, events and
// sentences out. A tool call without a result is never run again: nobody can tell what it did.
import type { NewOllmEvent } from '../events/index.ts';
import type { OpenCall, OpenEndsState, OpenTurn } from './open-ends.ts';

export interface Closing {
  readonly events: readonly NewOllmEvent[];
  readonly notices: readonly string[];
}

export function closeOpenEnds(open: OpenEndsState): Closing {
  return {
    events: [...open.calls.map(finishUnknown), ...(open.turn ? [endInterrupted(open.turn)] : [])],
    notices: [
      ...open.calls.map(
        (call) =>
          `The tool call ${call.name} (${call.callId}) was running when the last run ended; whether it had an effect cannot be told, and it is not run again.`,
      ),
      ...(open.turn
        ? [`Turn ${open.turn.number} was interrupted when the last run ended; what had been stored of it is kept.`]
        : []),
    ],
  };
}

function finishUnknown(call: OpenCall): NewOllmEvent {
  return {
    type: 'tool.finished',
    ...(call.turn === undefined ? {} : { turn: call.turn }),
    data: {
      callId: call.callId,
      status: 'unknown',
      result: {
        llmContent: 'The program ended while this call ran. Its result is not known; it may have had an effect.',
      },
      tokens: { count: 0, method: 'unknown' },
      durationMs: 0,
      trusted: false,
    },
  };
}

function endInterrupted(turn: OpenTurn): NewOllmEvent {
  return {
    type: 'turn.ended',
    turn: turn.number,
    data: {
      status: 'interrupted',
      steps: turn.steps,
      durationMs: Math.max(0, Date.parse(turn.lastAt) - Date.parse(turn.startedAt)),
    },
  };
}
