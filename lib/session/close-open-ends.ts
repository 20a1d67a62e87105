// Closes turns, answers and calls that a crash left open, by appended events, and those that a session of another
// program leaves open without a crash. States in, events and sentences out. An answer that was cut off becomes a
// message of its stored pieces. A call whose `tool.started` is in the journal may have had an effect and is never run
// again. A call of ollm without that event did not run: the event is on the device before the side effect.
import type { EventData, NewOllmEvent } from '../events/index.ts';
import { cutOffMessage } from '../projections/streamed.ts';
import { storeLongTexts } from './long-text.ts';
import type { OpenCall, OpenEndsState, OpenTurn } from './open-ends.ts';

export interface Closing {
  readonly events: readonly NewOllmEvent[];
  readonly notices: readonly string[];
}

interface ClosingOptions {
  /** Lines of the journal may be gone, so that a missing `tool.started` proves nothing. Default: no. */
  readonly mayLackEvents?: boolean | undefined;
}

export function closeOpenEnds(open: OpenEndsState, { mayLackEvents = false }: ClosingOptions = {}): Closing {
  const calls = open.calls.map((call) => ({ call, end: endOf(call, mayLackEvents) }));
  const { turn } = open;
  const isComplete = turn?.isAnswered === true && open.calls.every((call) => call.turn !== turn.number);
  return {
    events: [
      ...calls.map(({ call, end }) => finish(call, end)),
      ...(open.answer ? [cutOffMessage(open.answer)] : []),
      ...(turn ? [endTurn(turn, isComplete)] : []),
    ],
    notices: [
      ...calls.map(({ call, end }) => `The tool call ${call.name} (${call.callId}) ${end.notice}`),
      ...(turn && !isComplete ? [turnNotice(turn)] : []),
      ...(open.reverting === undefined ? [] : [revertNotice(open.reverting)]),
    ],
  };
}

/** The events as they are stored: a long text of the answer is in a file of its own. */
export async function closingEvents(
  { events }: Closing,
  put: (bytes: Uint8Array) => Promise<string>,
): Promise<readonly NewOllmEvent[]> {
  return Promise.all(
    events.map(async (event) =>
      event.type === 'message.added'
        ? { ...event, data: { ...event.data, parts: await storeLongTexts(event.data.parts, put) } }
        : event,
    ),
  );
}

function turnNotice({ number, isForeign }: OpenTurn): string {
  return isForeign
    ? `Turn ${number} has no answer yet in what its program stored; what there is of it is kept.`
    : `Turn ${number} was interrupted when the last run ended; what had been stored of it is kept.`;
}

/** Each file is as it was before, or as the tools left it: none is in between. */
function revertNotice(files: number): string {
  return `Putting back ${files === 1 ? 'a file' : `${files} files`} was interrupted when the last run ended. /revert, or ollm revert, says how far it came and finishes it.`;
}

interface End {
  readonly status: EventData<'tool.finished'>['status'];
  /** The text for the user, after the name of the call. */
  readonly notice: string;
  /** The text for the model. */
  readonly content: string;
}

const MAY_HAVE_RUN: End = {
  status: 'unknown',
  notice: 'was running when the last run ended; whether it had an effect is not known, and it is not run again.',
  content: 'The program ended while this call ran. Its result is not known; it may have had an effect.',
};
const MAY_HAVE_STARTED: End = {
  status: 'unknown',
  notice:
    'was open when the last run ended, and events may be missing; whether it ran is not known, and it is not run again.',
  content: 'The program ended before this call had a result. Whether it ran is not known; it may have had an effect.',
};
const NO_RESULT_STORED: End = {
  status: 'unknown',
  notice: 'has no result in what its program stored; whether it ran is not known, and it is not run again.',
  content:
    'This call has no result in what its program stored. Whether it ran is not known; it may have had an effect.',
};
const NOT_DECIDED: End = {
  status: 'cancelled',
  notice: 'had not been decided on when the last run ended; it did not run.',
  content: 'The program ended before it was decided whether this call may run. It did not run and had no effect.',
};
const NOT_STARTED: End = {
  status: 'cancelled',
  notice: 'had been allowed and not started when the last run ended; it did not run.',
  content: 'The program ended after this call was allowed and before it started. It did not run and had no effect.',
};
const DENIED: End = {
  status: 'denied',
  notice: 'had been denied when the last run ended; it did not run.',
  content: 'The call was denied. It did not run and had no effect.',
};

function endOf({ decision, hasStarted, isForeign }: OpenCall, mayLackEvents: boolean): End {
  if (isForeign && decision !== 'deny') return NO_RESULT_STORED;
  if (hasStarted) return MAY_HAVE_RUN;
  if (mayLackEvents) return MAY_HAVE_STARTED;
  if (decision === undefined) return NOT_DECIDED;
  return decision === 'allow' ? NOT_STARTED : DENIED;
}

function finish({ callId, turn }: OpenCall, { status, content }: End): NewOllmEvent {
  return {
    type: 'tool.finished',
    ...(turn === undefined ? {} : { turn }),
    data: {
      callId,
      status,
      result: { llmContent: content },
      tokens: { count: 0, method: 'unknown' },
      // How long it ran is not known.
      ...(status === 'unknown' ? {} : { durationMs: 0 }),
      trusted: false,
    },
  };
}

function endTurn(turn: OpenTurn, isComplete: boolean): NewOllmEvent {
  return {
    type: 'turn.ended',
    turn: turn.number,
    data: {
      status: isComplete ? 'completed' : 'interrupted',
      steps: turn.steps,
      durationMs: Math.max(0, Date.parse(turn.lastAt) - Date.parse(turn.startedAt)),
    },
  };
}
