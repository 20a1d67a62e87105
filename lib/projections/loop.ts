// Projection: whether the model repeats itself. Looks at what happened since the last user message, keeps a fixed
// number of fingerprints, and says what repeats and why. It decides nothing: the turn does. A call that is repeated
// while its result changes is polling, not a loop; times and ids in the result do not count as a change. A call that
// takes long may wait for something outside, and is given more rounds. Equal calls of one answer count once: the model
// saw no result in between. An output that is repeated while new calls are made is a batch at work; one that goes with
// polling is not a loop either.
import { checkArguments } from '../errors/arguments.ts';
import type { LoopDetected, OllmEventOf } from '../events/index.ts';
import { type Chant, findChant } from '../loop-detection/chant.ts';
import { findRepetition, MAX_PERIOD, type Repetition } from '../loop-detection/detect.ts';
import { callSignature, fingerprint, outputFingerprint } from '../loop-detection/signature.ts';
import { SIMILAR, type Sketch, similarity, sketchOf } from '../loop-detection/similarity.ts';
import { wallSeconds, withoutVolatile } from '../loop-detection/volatile.ts';
import { asksToWait } from '../loop-detection/waiting-call.ts';
import type { Part } from '../messages/index.ts';
import { isPrompt } from './message-pieces.ts';
import type { Fold } from './projection.ts';

/** From where on repetition counts as a loop. */
export interface LoopConfig {
  /** Model requests between two user messages; with one more the verdict is `turn-limit`. */
  readonly maxTurns: number;
  /** How often in a row the same counts as a loop. */
  readonly repeatThreshold: number;
}

export const DEFAULT_LOOP_CONFIG: LoopConfig = { maxTurns: 50, repeatThreshold: 3 };

/** What repeats, and how often. */
export interface LoopVerdict {
  readonly pattern: LoopDetected['pattern'];
  /** A sentence for people. */
  readonly details: string;
  readonly count: number;
  readonly threshold: number;
}

/** An output, as far as it is remembered: one of the two. */
export interface HeardOutput {
  readonly fingerprint?: string;
  readonly sketch?: Sketch;
}

export interface RecentCall {
  readonly name: string;
  /** The hash of the name and the arguments. */
  readonly signature: string;
  /** The hash of the call and its result. */
  readonly step: string;
  /** The hash without times and ids, if that differs. */
  readonly calmStep?: string;
  /** The request in whose answer the model made the call. */
  readonly request: number;
  /** The call took a second or more, so it may wait for something outside; `asked`: it also says so. */
  readonly waited?: 'perhaps' | 'asked';
}

type OpenCall = LoopState['openCalls'][number];

/** The model's actions since the user's last message, and whether it repeats itself. */
export interface LoopState {
  /** Model requests since the last user message. */
  turns: number;
  /** Whether the model speaks: its next call or message belongs to the same request. */
  speaking: boolean;
  /** Id of the message that it spoke last, where it has one. */
  message?: string;
  /** Calls that have no result yet. */
  openCalls: {
    readonly callId: string;
    readonly name: string;
    readonly signature: string;
    readonly request: number;
    readonly asksToWait?: true;
  }[];
  /** The last calls that have one, oldest first. */
  recentCalls: RecentCall[];
  /** The last output in words, and how often in a row it came, or one that is much like it. */
  output?: HeardOutput & { count: number };
  verdict?: LoopVerdict;
}

const READS = ['message.added', 'tool.requested', 'tool.finished', 'loop.detected'] as const;

/** Calls at once that are waited for; a model that asks for more has the oldest forgotten. */
const MAX_OPEN_CALLS = 100;
/** Where only times and ids differ, or a call took long, this many times the threshold; more where a call waits. */
const CALM_FACTOR = 2;
const WAITING_FACTOR = 4;
const WAIT_MS = 1_000;

/**
 * The fold for these thresholds.
 *
 * @example
 * const { states } = await replay(reader, { loop: createLoopFold({ ...DEFAULT_LOOP_CONFIG, repeatThreshold: 5 }) });
 */
export function createLoopFold(config: LoopConfig = DEFAULT_LOOP_CONFIG): Fold<LoopState, (typeof READS)[number]> {
  checkArguments('createLoopFold', { config: 'object' }, [config]);
  return {
    name: 'loop',
    version: 7,
    reads: READS,
    initial: nothingSeen,
    apply: (state, event) => apply(state, event, config),
  };
}

/** The fold with the default thresholds: 50 requests for one message, three times the same. */
export const loopFold = createLoopFold();

function nothingSeen(): LoopState {
  return { turns: 0, speaking: false, openCalls: [], recentCalls: [] };
}

type LoopEvent = OllmEventOf<(typeof READS)[number]>;

function apply(state: LoopState, event: LoopEvent, config: LoopConfig): LoopState {
  if (beginsAfresh(event)) return nothingSeen();
  switch (event.type) {
    case 'message.added':
      if (event.data.role === 'assistant') hear(state, event.data, config);
      return state;
    case 'tool.requested':
      noteCall(state, event.data, config);
      return state;
    case 'tool.finished':
      noteResult(state, event.data, config);
      return state;
    case 'loop.detected':
      return state;
  }
}

/** The user spoke, or lets the model continue, as a nudge does. A loop that was stopped keeps its verdict. */
function beginsAfresh(event: LoopEvent): boolean {
  if (event.type === 'loop.detected') return event.data.action !== 'stop';
  return event.type === 'message.added' && isPrompt(event.data);
}

function hear(
  state: LoopState,
  { parts, message }: { readonly parts: readonly Part[]; readonly message?: string },
  config: LoopConfig,
): void {
  speak(state, message, config);
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (text.trim() === '') return;
  const chant = findChant(text);
  if (chant !== undefined) foundLoop(state, chanting(chant));
  const heard = heardOutput(text);
  const count = isSame(state.output, heard) ? (state.output?.count ?? 0) + 1 : 1;
  state.output = { ...heard, count };
  if (count < config.repeatThreshold) return;
  foundLoop(state, {
    pattern: 'repeated-output',
    details: `The model gave the same answer, or nearly the same, ${count} times in a row.`,
    count,
    threshold: config.repeatThreshold,
  });
}

/** The first loop counts. A high number of requests is not a loop yet. */
function foundLoop(state: LoopState, verdict: LoopVerdict): void {
  if (state.verdict === undefined || state.verdict.pattern === 'turn-limit') state.verdict = verdict;
}

/** A short output is only the same as itself, a longer one is compared by its sketch. */
function heardOutput(text: string): HeardOutput {
  const sketch = sketchOf(text);
  return sketch === undefined ? { fingerprint: outputFingerprint(text) } : { sketch };
}

function isSame(one: HeardOutput | undefined, other: HeardOutput): boolean {
  if (other.sketch !== undefined) return similarity(one?.sketch, other.sketch) >= SIMILAR;
  return one?.fingerprint === other.fingerprint;
}

/** The verdict on an answer that repeats itself inside. */
function chanting({ count, sample, threshold }: Chant): LoopVerdict {
  return {
    pattern: 'repeated-output',
    details: `Within one answer the same words came ${count} times: ${JSON.stringify(sample)}.`,
    count,
    threshold,
  };
}

function noteCall(state: LoopState, call: OllmEventOf<'tool.requested'>['data'], config: LoopConfig): void {
  speak(state, call.message, config);
  const signature = callSignature(call.name, call.args);
  const { callId, name } = call;
  const waits = asksToWait(name, call.args) ? ({ asksToWait: true } as const) : {};
  state.openCalls.push({ callId, name, signature, request: state.turns, ...waits });
  if (state.openCalls.length > MAX_OPEN_CALLS) state.openCalls.shift();
  if (!lately(state, config).some((recent) => recent.signature === signature)) delete state.output;
}

/** Calls further back are remembered only for long cycles. */
function lately({ recentCalls }: LoopState, { repeatThreshold }: LoopConfig): readonly RecentCall[] {
  return recentCalls.slice(-MAX_PERIOD * repeatThreshold);
}

function noteResult(state: LoopState, finished: OllmEventOf<'tool.finished'>['data'], config: LoopConfig): void {
  state.speaking = false;
  const index = state.openCalls.findLastIndex(({ callId }) => callId === finished.callId);
  const [call] = index < 0 ? [] : state.openCalls.splice(index, 1);
  if (call === undefined) return;
  const { name, signature, request } = call;
  const { llmContent, images = [] } = finished.result;
  const stepOf = (text: string) =>
    fingerprint([`${signature} ${finished.status}`, text, ...images.map(({ blob }) => blob)].join('\n'));
  const step = stepOf(llmContent);
  const waited = waitOf(call, finished);
  if (waited !== undefined || !lately(state, config).some((recent) => recent.step === step)) delete state.output;
  const calm = withoutVolatile(llmContent);
  const calmStep = calm === llmContent ? step : stepOf(calm);
  const isSame = (recent: RecentCall) => recent.request === request && (recent.calmStep ?? recent.step) === calmStep;
  if (state.recentCalls.some(isSame)) return;
  state.recentCalls.push({
    ...{ name, signature, step, request },
    ...(calmStep === step ? {} : { calmStep }),
    ...(waited === undefined ? {} : { waited }),
  });
  if (state.recentCalls.length > MAX_PERIOD * WAITING_FACTOR * config.repeatThreshold) state.recentCalls.shift();
  const verdict = judgeCalls(state, config);
  if (verdict !== undefined) foundLoop(state, verdict);
}

/** A call that failed after a while did not wait, unless it says so. */
function waitOf(call: OpenCall, finished: OllmEventOf<'tool.finished'>['data']): RecentCall['waited'] {
  const { llmContent } = finished.result;
  if ((finished.durationMs ?? 0) < WAIT_MS && wallSeconds(llmContent) < 1) return undefined;
  if (call.asksToWait) return 'asked';
  return finished.status === 'ok' ? 'perhaps' : undefined;
}

function judgeCalls({ recentCalls }: LoopState, { repeatThreshold }: LoopConfig): LoopVerdict | undefined {
  const exact = exactRepetition(recentCalls, repeatThreshold);
  const found = exact ?? calmRepetition(recentCalls, repeatThreshold);
  if (found === undefined) return undefined;
  const { period, count } = found;
  const names = recentCalls.slice(-period).map(({ name }) => name);
  const [calls, result] =
    period === 1
      ? [`The tool ${names[0]} was called`, 'the same result']
      : [`The calls ${names.join(', ')} came`, 'the same results'];
  const but = exact === undefined ? ', but for times and ids' : '';
  return {
    pattern: period === 1 ? 'repeated-tool' : 'cycle',
    details: `${calls} ${count} times in a row with the same arguments and ${result}${but}.`,
    count,
    threshold: repeatThreshold,
  };
}

/**
 * A call that asks to wait is not a loop, whatever its result; a cycle with such a call is a loop after many rounds. A
 * cycle that only took long is allowed twice the rounds.
 */
function exactRepetition(calls: readonly RecentCall[], threshold: number): Repetition | undefined {
  const found = findRepetition(
    calls.map(({ step }) => step),
    threshold,
  );
  if (found === undefined) return undefined;
  switch (waitIn(calls, found)) {
    case undefined:
      return found;
    case 'perhaps':
      return found.count >= CALM_FACTOR * threshold ? found : undefined;
    case 'asked':
      return found.period > 1 && found.count >= WAITING_FACTOR * threshold ? found : undefined;
  }
}

/**
 * A repeated call that took long is not a loop while times change; a cycle with a wait in it is a loop after many
 * rounds.
 */
function calmRepetition(calls: readonly RecentCall[], threshold: number): Repetition | undefined {
  const steps = calls.map(({ step, calmStep = step }) => calmStep);
  const found = findRepetition(steps, CALM_FACTOR * threshold);
  if (found === undefined || waitIn(calls, found) === undefined) return found;
  return found.period > 1 && found.count >= WAITING_FACTOR * threshold ? found : undefined;
}

function waitIn(calls: readonly RecentCall[], { period }: Repetition): RecentCall['waited'] {
  const waits = calls.slice(-period).map(({ waited }) => waited);
  return waits.includes('asked') ? 'asked' : waits.find((waited) => waited !== undefined);
}

/**
 * The first sign of a model's answer counts the request that it answers; a further part of the same message does not.
 */
function speak(state: LoopState, message: string | undefined, { maxTurns }: LoopConfig): void {
  if (state.speaking) return;
  state.speaking = true;
  const isFurtherPart = message !== undefined && message === state.message;
  if (message === undefined) delete state.message;
  else state.message = message;
  if (isFurtherPart) return;
  state.turns += 1;
  if (state.turns <= maxTurns) return;
  state.verdict ??= {
    pattern: 'turn-limit',
    details: `The model was asked ${state.turns} times since the last message of the user.`,
    count: state.turns,
    threshold: maxTurns,
  };
}
