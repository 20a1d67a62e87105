// The phases of a turn, and the look of each at the bottom of the screen: rows of their own for running tools, and the
// words of the bottom line. A phase is data; its look is an entry of a table. Pure.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { formatBytes } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { AGENT } from '../../tools/builtin/agent.ts';
import type { Retry } from '../turn-view.ts';
import type { Doing } from './bottom-line.ts';
import { runningLines, type ToolRun } from './tool-lines.ts';

export type Phase =
  /** For the first part of an answer. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'thinking'; readonly thought: string }
  /** The text of the answer arrives. */
  | { readonly kind: 'answering'; readonly bytes: number }
  /** The arguments of a call arrive. */
  | { readonly kind: 'calling'; readonly words: string; readonly bytes: number }
  /** The request is repeated at `atMs`. */
  | { readonly kind: 'retry'; readonly retry: Retry; readonly atMs: number }
  /** Tools run, side by side. */
  | { readonly kind: 'tools'; readonly runs: readonly ToolRun[] };

type PhaseOf<Kind extends Phase['kind']> = Extract<Phase, { readonly kind: Kind }>;

/** Characters kept of a long thought: only its end can be seen. */
const LONGEST_THOUGHT = 400;
const MOST_RUNS = 6;

const DOING: { readonly [Kind in Phase['kind']]: (phase: PhaseOf<Kind>, nowMs: number) => Doing } = {
  waiting: () => ({ verb: 'waiting for the model' }),
  thinking({ thought }) {
    const object = sanitizeLine(thought.slice(-LONGEST_THOUGHT)).trim();
    return object === '' ? { verb: 'thinking' } : { verb: 'thinking:', object };
  },
  answering: ({ bytes }) => ({ verb: 'writing', amount: formatBytes(bytes) }),
  calling: ({ words, bytes }) => ({ verb: 'writing', object: words, amount: formatBytes(bytes) }),
  retry: ({ retry, atMs }, nowMs) => ({ verb: `${retryTime(retry, atMs - nowMs)}:`, object: retry.reason, cut: 'end' }),
  tools: ({ runs }) =>
    agentAlone(runs) ?? { verb: 'running', object: runs.map(({ name }) => sanitizeLine(name)).join(', ') },
};

/** The activity of the only running call, if it is an agent that has begun. */
function agentAlone([run, ...more]: readonly ToolRun[]): Doing | undefined {
  const last = run?.name === AGENT ? run.printed.trimEnd().split('\n').at(-1) : undefined;
  return more.length === 0 && last ? { verb: 'agent:', object: sanitizeLine(last), cut: 'end' } : undefined;
}

export function doingIn<Kind extends Phase['kind']>(phase: PhaseOf<Kind>, nowMs: number): Doing {
  const doing: (phase: PhaseOf<Kind>, nowMs: number) => Doing = DOING[phase.kind as Kind];
  return doing(phase, nowMs);
}

/** The running tools, each with the end of its output. */
export function toolRows(phase: Phase, nowMs: number): readonly StyledLine[] {
  if (phase.kind !== 'tools') return [];
  const more = phase.runs.length - MOST_RUNS;
  return [
    ...phase.runs.slice(0, MOST_RUNS).flatMap((run) => runningLines(run, nowMs)),
    ...(more > 0 ? [[spanOf(`  and ${more} more`, 'dim')] satisfies StyledLine] : []),
  ];
}

/** `mock answered 500. Attempt 2 of 4 in 3 s`; without the time once the attempt has begun. */
export function retryText(retry: Retry): string {
  return `${retry.reason} ${retryTime(retry, retry.delayMs)}`;
}

function retryTime({ attempt, attempts }: Retry, delayMs: number): string {
  const seconds = Math.ceil(delayMs / 1000);
  return `Attempt ${attempt} of ${attempts}${seconds > 0 ? ` in ${seconds} s` : ''}`;
}
