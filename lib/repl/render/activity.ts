// What is under way, in a few rows at the bottom that move: waiting for the model, what it is thinking, a pause before
// the request is made again, tools that run. They vanish when there is something to show that stays.
import { sanitizeLine } from '../../display/sanitize.ts';
import { textWidth } from '../../display/width.ts';
import type { Retry } from '../turn-view.ts';
import type { Line, Paint } from './paint.ts';
import { createRegion } from './region.ts';
import type { Screen } from './screen.ts';
import { runningLines, type ToolRun } from './tool-lines.ts';

/** Why nothing else is to be seen. */
export type Waiting =
  | { readonly kind: 'model' }
  | { readonly kind: 'thinking'; readonly thought: string }
  | { readonly kind: 'retry'; readonly retry: Retry; readonly atMs: number };

export interface Activity {
  /** Shows it and keeps it moving. Seconds are counted from the first call after a `stop`. */
  show(what: { readonly waiting: Waiting; readonly runs: readonly ToolRun[] }): void;
  /** The rows vanish; what was shown is shown again by `resume`. */
  pause(): void;
  resume(): void;
  /** The rows vanish for good. */
  stop(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const MOST_RUNS = 6;

export function createActivity(screen: Screen, paint: Paint, now: () => number): Activity {
  const region = createRegion(screen, paint);
  let what: Parameters<Activity['show']>[0] | undefined;
  let sinceMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;

  const draw = () => {
    if (!what) return;
    const sign = FRAMES[frame++ % FRAMES.length]!;
    const { waiting, runs } = what;
    if (runs.length === 0)
      return region.show(waitingLines(waiting, sign, { sinceMs, nowMs: now() }, screen.columns - 1));
    const more = runs.length - MOST_RUNS;
    region.show([
      ...runs.slice(0, MOST_RUNS).flatMap((run) => runningLines(run, sign, now())),
      ...(more > 0 ? [[{ text: `  and ${more} more`, styles: ['dim'] }] as const] : []),
    ]);
  };
  const pause = () => {
    clearInterval(timer);
    timer = undefined;
    region.clear();
  };
  const resume = () => {
    if (!what || !screen.movable) return;
    draw();
    timer ??= setInterval(draw, FRAME_MS).unref();
  };
  return {
    show(next) {
      if (!what) sinceMs = now();
      const isOther =
        next.waiting.kind === 'retry' ||
        what?.waiting.kind !== next.waiting.kind ||
        what.runs.length !== next.runs.length;
      what = next;
      // What only goes on is drawn with the next frame, however much of it comes.
      if (!timer) resume();
      else if (isOther) draw();
    },
    pause,
    resume,
    stop() {
      pause();
      what = undefined;
    },
  };
}

function waitingLines(
  waiting: Waiting,
  sign: string,
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
  columns: number,
): Line[] {
  const seconds = Math.floor((nowMs - sinceMs) / 1000);
  switch (waiting.kind) {
    case 'model':
      return [dim(`${sign} ${seconds} s · Ctrl+C cancels`)];
    case 'thinking': {
      const start = `${sign} ${seconds} s · thinking: `;
      return [dim(start + endOf(sanitizeLine(waiting.thought), columns - textWidth(start)))];
    }
    case 'retry': {
      const time = retryTime(waiting.retry, waiting.atMs - nowMs);
      return [dim(waiting.retry.reason), dim(`${sign} ${time} · Ctrl+C cancels`)];
    }
  }
}

/** `mock answered 500. Attempt 2 of 4 in 3 s`; without the time once the attempt has begun. */
export function retryText(retry: Retry, delayMs: number): string {
  return `${retry.reason} ${retryTime(retry, delayMs)}`;
}

function retryTime({ attempt, attempts }: Retry, delayMs: number): string {
  const seconds = Math.ceil(delayMs / 1000);
  return `Attempt ${attempt} of ${attempts}${seconds > 0 ? ` in ${seconds} s` : ''}`;
}

function dim(text: string): Line {
  return [{ text, styles: ['dim'] }];
}

/** The words at the end that fit. */
function endOf(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const room = Math.max(0, columns - 1);
  let end = room === 0 ? '' : text.slice(-room);
  while (end !== '' && textWidth(end) > room) end = end.slice(Math.max(1, Math.ceil((textWidth(end) - room) / 2)));
  return `…${end}`;
}
