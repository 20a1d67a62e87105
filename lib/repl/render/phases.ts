// The phases of a turn, and the rows at the bottom of the screen that say in which one it is. A phase is data; how each
// looks is one entry of a table. Pure.

import type { Line } from '../../display/paint.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { textWidth } from '../../display/width.ts';
import type { Retry } from '../turn-view.ts';
import { runningLines, type ToolRun } from './tool-lines.ts';

export type Phase =
  /** For the first part of an answer. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'thinking'; readonly thought: string }
  /** The request is repeated at `atMs`. */
  | { readonly kind: 'retry'; readonly retry: Retry; readonly atMs: number }
  /** Tools run, side by side. */
  | { readonly kind: 'tools'; readonly runs: readonly ToolRun[] }
  /** The text of the answer arrives. */
  | { readonly kind: 'answering' };

export interface PhaseLook {
  /** The sign that moves. */
  readonly sign: string;
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly columns: number;
  readonly rows: number;
}

type PhaseOf<Kind extends Phase['kind']> = Extract<Phase, { readonly kind: Kind }>;

const MOST_RUNS = 6;

const ROWS: { readonly [Kind in Phase['kind']]: (phase: PhaseOf<Kind>, look: PhaseLook) => readonly Line[] } = {
  waiting: (_, look) => [dim(`${beginning(look)} · Ctrl+C cancels`)],
  thinking({ thought }, look) {
    const start = `${beginning(look)} · thinking: `;
    return [dim(start + endOf(sanitizeLine(thought), look.columns - textWidth(start)))];
  },
  retry: ({ retry, atMs }, { sign, nowMs }) => [
    dim(retry.reason),
    dim(`${sign} ${retryTime(retry, atMs - nowMs)} · Ctrl+C cancels`),
  ],
  tools({ runs }, { sign, nowMs, rows }) {
    const more = runs.length - MOST_RUNS;
    return [
      ...runs.slice(0, MOST_RUNS).flatMap((run) => runningLines(run, sign, nowMs)),
      ...(more > 0 ? [dim(`  and ${more} more`)] : []),
    ].slice(0, rows - 1);
  },
  answering: () => [],
};

/** At most as wide and as high as the screen. */
export function phaseRows<Kind extends Phase['kind']>(phase: PhaseOf<Kind>, look: PhaseLook): readonly Line[] {
  const rowsOf: (phase: PhaseOf<Kind>, look: PhaseLook) => readonly Line[] = ROWS[phase.kind as Kind];
  return rowsOf(phase, look);
}

/** `mock answered 500. Attempt 2 of 4 in 3 s`; without the time once the attempt has begun. */
export function retryText(retry: Retry, delayMs = retry.delayMs): string {
  return `${retry.reason} ${retryTime(retry, delayMs)}`;
}

function retryTime({ attempt, attempts }: Retry, delayMs: number): string {
  const seconds = Math.ceil(delayMs / 1000);
  return `Attempt ${attempt} of ${attempts}${seconds > 0 ? ` in ${seconds} s` : ''}`;
}

function beginning({ sign, sinceMs, nowMs }: PhaseLook): string {
  return `${sign} ${Math.floor((nowMs - sinceMs) / 1000)} s`;
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
