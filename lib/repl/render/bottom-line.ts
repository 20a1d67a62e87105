// The line at the bottom of the screen while a turn runs: elapsed time, current activity with its progress, queue, and
// useful keys. One row at any width: the least important part is dropped first. Pure.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { fitEnd, fitWidth, textWidth } from '../../display/width.ts';

/** What a turn does at the moment. */
export interface Doing {
  readonly verb: string;
  /** The object of the activity, or its newest words. */
  readonly object?: string | undefined;
  /** Which part of the object is left out where there is little room. Default: its beginning. */
  readonly cut?: 'beginning' | 'end' | undefined;
  /** How much of it has come, such as `3.1 kB`. */
  readonly amount?: string | undefined;
}

export interface BottomFacts extends Doing {
  /** The sign that moves. */
  readonly sign: string;
  /** Milliseconds since the turn began. */
  readonly elapsedMs: number;
  /** Messages that wait for the end of the turn. */
  readonly queued: number;
  /** Whether the user has begun to type. */
  readonly isTyping: boolean;
  /** The model's current task, by its list. Shown if there is room left. */
  readonly task?: string | undefined;
}

const SEPARATOR = ' · ';
/** Columns of an object that say enough. */
const SHORTEST_OBJECT = 14;
const SHORTEST_TASK = 14;
const TASK_SIGN = '▸ ';

export function bottomLine(facts: BottomFacts, columns: number): StyledLine {
  const { sign, elapsedMs, verb, object = '', amount, cut = 'beginning' } = facts;
  const shortened = cut === 'end' ? fitWidth : fitEnd;
  const time = `${sign} ${formatSeconds(elapsedMs)}`;
  const size = amount === undefined ? '' : `, ${amount}`;
  const written = (words: string, rest: readonly string[]) => [time, `${words}${size}`, ...rest].join(SEPARATOR);
  for (const rest of restsOf(facts)) {
    const room = columns - textWidth(written(verb, rest)) - 1;
    if (object === '' ? room < -1 : room < Math.min(textWidth(object), SHORTEST_OBJECT)) continue;
    const words = object === '' ? verb : `${verb} ${shortened(object, room)}`;
    return dim(written(words, [...taskIn(columns - textWidth(written(words, rest)), facts.task), ...rest]));
  }
  return dim(fitWidth(written(verb, []), columns));
}

/** The part that fits after the rest; nothing if it would be too short to help. */
function taskIn(columns: number, task = ''): readonly string[] {
  const room = columns - textWidth(SEPARATOR + TASK_SIGN);
  const isEnough = task !== '' && room >= Math.min(textWidth(task), SHORTEST_TASK);
  return isEnough ? [`${TASK_SIGN}${fitWidth(task, room)}`] : [];
}

/** What may follow, the best first. */
function restsOf({ queued, isTyping }: BottomFacts): readonly (readonly string[])[] {
  const waiting = queued === 0 ? [] : [`${queued} queued`];
  const typing = isTyping ? ['Enter queues', 'Ctrl+S steers'] : [];
  return [
    [...waiting, ...typing, 'Ctrl+C cancels'],
    [...waiting, ...typing],
    [...waiting, 'Ctrl+C'],
    waiting,
    [],
  ].filter((rest, index) => index !== 1 || rest.length > waiting.length);
}

/** `8 s`, `2 min 8 s`. */
export function formatSeconds(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function dim(text: string): StyledLine {
  return [spanOf(text, 'dim')];
}
