// The present state of a session: the text under way, waiting prompts, and questions.
import { useEffect, useRef, useState } from 'preact/hooks';
import { follow, type LivePartial, type LiveSignal } from '../api/live.ts';
import type { AskedQuestion, SentEvent } from '../api/types.ts';
import { duration } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';
import { announce } from './announce.ts';
import type { Pages } from './pages.ts';
import { forgetOutput, noteOutput } from './running-output.ts';
import { noteToolMode } from './tool-mode.ts';

export interface LiveState {
  readonly partial: LivePartial | undefined;
  /** The shown part of an answer is gone: ollm ended before it was stored. */
  readonly isCutOff: boolean;
  readonly activity: 'running' | 'waiting' | 'stopping' | undefined;
  /** `awaits: 'user'`: it was typed ahead at a terminal. */
  readonly queue: readonly { readonly promptId: string; readonly text: string; readonly awaits?: 'user' }[];
  readonly questions: readonly AskedQuestion[];
  readonly problem: string | undefined;
  /** This server leads it, or its agent. */
  readonly isLed: boolean;
}

const NOTHING: LiveState = {
  partial: undefined,
  isCutOff: false,
  activity: undefined,
  queue: [],
  questions: [],
  problem: undefined,
  isLed: false,
};
/** Thirty redraws in a second are as smooth as sixty, and leave half of the time to everything else. */
const LEAST_PER_REDRAW_MS = 32;

/** `speaker`: the name of what answers. */
export function useLive(
  address: string,
  isNow: boolean,
  pages: Pages,
  { speaker, onChange }: { speaker: string; onChange: () => void },
): LiveState {
  const [state, setState] = useState(NOTHING);
  const latest = useRef({ pages, onChange, speaker });
  latest.current = { pages, onChange, speaker };
  const isReady = pages.head !== undefined;
  useEffect(() => {
    if (!isNow || !isReady) return undefined;
    const isOfAgent = address.includes(':');
    let text = '';
    let reasoning = '';
    let frame = 0;
    let drawnAt = 0;
    /** The text that was shown before the stream was lost; true until it is found again. */
    let isMissing = false;
    /** The length of the text that was shown before the stream was lost. */
    let shownLength = 0;
    /** Names of calls, for the announcements of their ends. */
    const names = new Map<string, string>();
    const begins = (): void => {
      if (text === '' && reasoning === '') announce(`${latest.current.speaker} answers`, 'answer');
    };
    const draw = (): void => {
      frame ||= requestAnimationFrame((now) => {
        frame = 0;
        if (now - drawnAt < LEAST_PER_REDRAW_MS) return draw();
        drawnAt = now;
        setState((old) => ({ ...old, isCutOff: false, partial: { text, reasoning } }));
      });
    };
    const forget = (): void => {
      text = '';
      reasoning = '';
      isMissing = false;
      // Out of view, no frame comes: a waiting piece would be drawn later than the end, and hide its announcement.
      cancelAnimationFrame(frame);
      frame = 0;
    };
    const cutOff = (): void => {
      forget();
      announce('The end of this answer was not stored', 'answer');
      setState((old) => ({ ...old, partial: undefined, isCutOff: true }));
    };
    const connection = follow(address, latest.current.pages.head ?? -1, {
      onHello() {
        const isSeen = isMissing || text !== '';
        shownLength = isMissing ? shownLength : text.length;
        forget();
        isMissing = isSeen;
        setState(NOTHING);
      },
      onEvent(event) {
        latest.current.pages.add(event);
        if (event.type === 'mode.changed') noteToolMode(address, event.data.mode);
        if (event.type === 'message.added' && event.data.role === 'assistant') {
          // A kill may have cost the end of the text that was stored while it streamed.
          const isShorter = isMissing && textLength(event.data.parts) < shownLength;
          forget();
          if (isShorter) cutOff();
          else setState((old) => ({ ...old, partial: undefined }));
        }
        if (event.type === 'tool.requested') names.set(event.data.callId, oneLine(event.data.name));
        if (event.type === 'tool.finished') {
          const { callId, status } = event.data;
          forgetOutput(callId);
          if (status === 'error' || status === 'timeout') announce(`${names.get(callId) ?? 'A call'} failed`, 'call');
          names.delete(callId);
        }
        if (event.type === 'turn.ended') {
          announce(endOf(event.data), 'turn');
          // The file of another agent says so of a turn when the next one begins.
          if (!isOfAgent && (isMissing || text !== '')) cutOff();
        }
        if (['turn.ended', 'branch.moved', 'compaction.completed'].includes(event.type)) latest.current.onChange();
      },
      onPartial(partial) {
        text = partial.text ?? '';
        reasoning = partial.reasoning ?? '';
        if (text !== '') isMissing = false;
        draw();
      },
      onSignal(signal) {
        const delta = signal.type === 'turn' ? (signal.signal as LiveSignal) : undefined;
        if (delta?.type === 'delta') {
          begins();
          text += String(delta.content);
          draw();
        } else if (delta?.type === 'reasoning') {
          begins();
          reasoning += String(delta.content);
          draw();
        } else if (delta?.type === 'tool_output') noteOutput(String(delta.callId), String(delta.text));
        else setState((old) => signalled(old, signal));
        // Every event that was missed came before this: the answer is not among them.
        if (signal.type === 'activity' && activityOf(signal) === undefined) {
          if (isOfAgent) forget();
          else if (isMissing) cutOff();
        }
      },
      onGone() {
        setState(NOTHING);
        latest.current.onChange();
      },
      onReset() {
        latest.current.pages.restart();
        setState(NOTHING);
      },
    });
    return () => {
      cancelAnimationFrame(frame);
      connection.close();
      forgetOutput();
    };
  }, [address, isNow, isReady]);
  return state;
}

function textLength(parts: Extract<SentEvent, { type: 'message.added' }>['data']['parts']): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

/** In words, how a turn ended. */
function endOf({ status, durationMs }: Extract<SentEvent, { type: 'turn.ended' }>['data']): string {
  if (status !== 'completed') return `The turn ended: ${status}`;
  return durationMs === undefined ? 'Done' : `Done after ${duration(durationMs)}`;
}

function activityOf(signal: Omit<LiveSignal, 'sessionId'>): 'running' | 'waiting' | undefined {
  const { kind } = signal.activity as { kind: string };
  return kind === 'running' || kind === 'waiting' ? kind : undefined;
}

function signalled(state: LiveState, signal: Omit<LiveSignal, 'sessionId'>): LiveState {
  switch (signal.type) {
    case 'activity': {
      const activity = activityOf(signal);
      const partial = activity === undefined ? undefined : state.partial;
      const isLed = (signal.activity as { kind: string }).kind !== 'not-held';
      return { ...state, activity, partial, isLed, problem: activity === undefined ? state.problem : undefined };
    }
    case 'queue':
      return { ...state, queue: signal.queue as LiveState['queue'] };
    case 'question': {
      const question = signal.question as AskedQuestion;
      return { ...state, questions: [...state.questions.filter(({ id }) => id !== question.id), question] };
    }
    case 'question-end': {
      const { id } = signal.end as { id: string };
      return { ...state, questions: state.questions.filter((each) => each.id !== id) };
    }
    case 'problem':
      return { ...state, problem: [signal.message, signal.hint].filter(Boolean).join(' ') };
    default:
      return state;
  }
}
