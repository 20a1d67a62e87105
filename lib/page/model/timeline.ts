// A session in time: how it was at a step, and the spans of a turn. Pure.
import type { SentSteps } from '../api/types.ts';

export type TimedStep = SentSteps['steps'][number];

export interface Moment {
  readonly step: TimedStep;
  readonly turn: number | undefined;
  /** The newest steps that are shown, the newest last. */
  readonly newest: readonly TimedStep[];
  readonly plan: NonNullable<TimedStep['plan']>;
  /** Files with the number of their changes, the one that changed last first. */
  readonly files: readonly (readonly [path: string, changes: number])[];
  /** Tokens that were sent last. */
  readonly window: number | undefined;
  readonly tokens: number;
  /** US dollars; undefined where no price is known. */
  readonly cost: number | undefined;
}

const NEWEST = 7;

/** @param at index of the newest step that has happened */
export function momentAt(steps: readonly TimedStep[], at: number): Moment | undefined {
  const step = steps[at];
  if (step === undefined) return undefined;
  const past = steps.slice(0, at + 1);
  const files = new Map<string, number>();
  let plan: Moment['plan'] = [];
  let window: number | undefined;
  let cost: number | undefined;
  let tokens = 0;
  for (const each of past) {
    if (each.plan !== undefined) plan = each.plan;
    for (const file of each.files ?? []) {
      if (each.status !== undefined && each.status !== 'ok') continue;
      const changes = (files.get(file) ?? 0) + 1;
      files.delete(file);
      files.set(file, changes);
    }
    if (each.kind === 'request') {
      window = each.input ?? window;
      tokens += (each.input ?? 0) + (each.output ?? 0);
      if (each.cost !== undefined) cost = (cost ?? 0) + each.cost;
    }
    if (each.kind === 'compaction') window = each.input ?? window;
  }
  return {
    step,
    turn: past.findLast(({ turn }) => turn !== undefined)?.turn,
    newest: past.filter(({ kind }) => kind !== 'request').slice(-NEWEST),
    plan,
    files: [...files].reverse(),
    ...{ window, tokens, cost },
  };
}

export interface Span {
  readonly kind: 'model' | 'tool' | 'you';
  readonly seq: number;
  readonly label: string;
  /** Milliseconds from the beginning of the turn. */
  readonly from: number;
  readonly to: number;
}

export interface TurnSpans {
  readonly spans: readonly Span[];
  readonly lengthMs: number;
  readonly sums: Readonly<Record<Span['kind'], number>>;
  /** Requests that failed and were made again. */
  readonly retries: number;
}

/** The steps of the turn that the step at `at` is in: from its prompt to its end. */
export function turnAround(steps: readonly TimedStep[], at: number): readonly TimedStep[] {
  const begin = steps.findLastIndex(({ kind }, index) => index <= at && kind === 'prompt');
  const next = steps.findIndex(({ kind }, index) => index > Math.max(at, begin) && kind === 'prompt');
  return begin < 0 ? [] : steps.slice(begin, next < 0 ? undefined : next);
}

/** Undefined where the source has no times. */
export function spansOf(turn: readonly TimedStep[]): TurnSpans | undefined {
  const begin = timeOf(turn[0]?.at);
  if (begin === undefined) return undefined;
  const spans: Span[] = [];
  let last = begin;
  let retries = 0;
  const add = (kind: Span['kind'], seq: number, label: string, from: number, to: number): void => {
    if (to <= from) return;
    const before = spans.at(-1);
    if (kind === 'model' && before?.kind === 'model' && before.to === from - begin) {
      spans[spans.length - 1] = { ...before, to: to - begin };
    } else spans.push({ kind, seq, label, from: from - begin, to: to - begin });
  };
  for (const step of turn) {
    const at = timeOf(step.at);
    if (step.kind === 'end') retries += step.retries ?? 0;
    if (at === undefined || step.kind === 'prompt') continue;
    add('model', step.seq, 'Model', last, at);
    last = Math.max(last, at);
    if (step.kind !== 'call') continue;
    const decided = timeOf(step.decidedAt);
    const isAsked = step.decidedBy === 'user' && decided !== undefined;
    if (isAsked) add('you', step.seq, 'You', at, decided);
    const started = timeOf(step.startedAt) ?? (isAsked ? decided : at);
    const ended = timeOf(step.endedAt);
    if (ended !== undefined) add('tool', step.seq, step.tool ?? 'call', started, ended);
    last = Math.max(last, isAsked ? decided : at, ended ?? at);
  }
  const sums = { model: 0, tool: 0, you: 0 };
  for (const { kind, from, to } of spans) sums[kind] += to - from;
  return { spans, lengthMs: last - begin, sums, retries };
}

export function timeOf(at: string | undefined): number | undefined {
  const ms = at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Longer waits are cut to this when a session is played. */
const LONGEST_WAIT_MS = 60_000;
const SHORTEST_MS = 30;

/** How long the step at `at` is shown when it is played, in milliseconds. */
export function shownFor(steps: readonly TimedStep[], at: number, speed: number): number {
  const [here, next] = [timeOf(steps[at]?.at), timeOf(steps[at + 1]?.at)];
  const passed = here === undefined || next === undefined ? 1000 : Math.max(0, next - here);
  return Math.max(SHORTEST_MS, Math.min(LONGEST_WAIT_MS, passed) / speed);
}

export interface RunFigures {
  readonly turns: number;
  readonly requests: number;
  readonly calls: number;
  readonly failed: number;
  readonly tokens: number;
  readonly cost: number | undefined;
  readonly files: number;
  readonly sums: TurnSpans['sums'];
}

/** The figures of a whole session, without its undone steps. */
export function figuresOf(steps: readonly TimedStep[]): RunFigures {
  const live = steps.filter(({ undone }) => undone !== true);
  const last = momentAt(live, live.length - 1);
  const sums = { model: 0, tool: 0, you: 0 };
  for (const turn of turnsOf(live)) {
    const spans = spansOf(turn);
    for (const kind of ['model', 'tool', 'you'] as const) sums[kind] += spans?.sums[kind] ?? 0;
  }
  const of = (kind: TimedStep['kind']) => live.filter((step) => step.kind === kind);
  return {
    turns: of('prompt').length,
    requests: of('request').length,
    calls: of('call').length,
    failed: of('call').filter(({ status }) => status === 'error' || status === 'timeout').length,
    tokens: last?.tokens ?? 0,
    cost: last?.cost,
    files: last?.files.length ?? 0,
    sums,
  };
}

/** Each prompt with the steps up to the next. */
export function turnsOf(steps: readonly TimedStep[]): readonly (readonly TimedStep[])[] {
  const turns: TimedStep[][] = [];
  for (const step of steps) {
    if (step.kind === 'prompt') turns.push([step]);
    else turns.at(-1)?.push(step);
  }
  return turns;
}
