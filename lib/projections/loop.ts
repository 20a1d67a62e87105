// Projection: whether the model repeats itself. Looks at what happened since the last user message, keeps a fixed number
// of fingerprints, and says what repeats and why. It decides nothing: the turn does.
// A call that is repeated while its result changes is polling, and no loop. An output that is repeated while calls that
// were not made before go on is a batch at work, and no loop either; nor is one that goes with polling.
import type { LoopDetected, OllmEventOf } from '../events/index.ts';
import { type Chant, findChant } from '../loop-detection/chant.ts';
import { findRepetition, MAX_PERIOD } from '../loop-detection/detect.ts';
import { callSignature, fingerprint, outputFingerprint } from '../loop-detection/signature.ts';
import { SIMILAR, type Sketch, similarity, sketchOf } from '../loop-detection/similarity.ts';
import type { Part } from '../messages/index.ts';
import type { Fold } from './projection.ts';

/** From where on repetition counts as a loop. */
export interface LoopConfig {
  /** Model requests between two user messages; one more is a loop. */
  readonly maxTurns: number;
  /** How often in a row the same counts as a loop. */
  readonly repeatThreshold: number;
}

export const DEFAULT_LOOP_CONFIG: LoopConfig = { maxTurns: 50, repeatThreshold: 3 };

/** What repeats, and how often. */
export interface LoopVerdict {
  readonly pattern: LoopDetected['pattern'];
  /** One sentence for people. */
  readonly details: string;
  readonly count: number;
  readonly threshold: number;
}

/** An output, as far as it is remembered: one of the two. */
interface HeardOutput {
  readonly fingerprint?: string;
  readonly sketch?: Sketch;
}

/** What the model did since the user spoke, and whether it repeats itself. */
export interface LoopState {
  /** Model requests since the last user message. */
  turns: number;
  /** Whether the model speaks: its next call or message belongs to the same request. */
  speaking: boolean;
  /** Calls that have no result yet. */
  openCalls: { callId: string; name: string; signature: string }[];
  /** The last calls that have one, oldest first: signature of the call, and what tells both it and its result. */
  recentCalls: { name: string; signature: string; step: string }[];
  /** The last output in words, and how often in a row it came, or one that is much like it. */
  output?: HeardOutput & { count: number };
  verdict?: LoopVerdict;
}

const READS = ['message.added', 'tool.requested', 'tool.finished', 'loop.detected'] as const;

/** Calls at once that are waited for; a model that asks for more has the oldest forgotten. */
const MAX_OPEN_CALLS = 100;

/**
 * The fold for these thresholds.
 *
 * @example
 * const { states } = replay(reader, { loop: createLoopFold({ ...DEFAULT_LOOP_CONFIG, repeatThreshold: 5 }) });
 */
export function createLoopFold(config: LoopConfig = DEFAULT_LOOP_CONFIG): Fold<LoopState, (typeof READS)[number]> {
  return {
    name: 'loop',
    version: 5,
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
      if (event.data.role === 'assistant') hear(state, event.data.parts, config);
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

/** The user spoke, or lets the model go on, as a nudge does. A loop that was stopped keeps its verdict. */
function beginsAfresh(event: LoopEvent): boolean {
  if (event.type === 'loop.detected') return event.data.action !== 'stop';
  return event.type === 'message.added' && event.data.role === 'user';
}

function hear(state: LoopState, parts: readonly Part[], config: LoopConfig): void {
  speak(state, config);
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (text.trim() === '') return;
  const chant = findChant(text);
  if (chant !== undefined) state.verdict ??= chanting(chant);
  const heard = heardOutput(text);
  const count = isSame(state.output, heard) ? (state.output?.count ?? 0) + 1 : 1;
  state.output = { ...heard, count };
  if (count < config.repeatThreshold) return;
  state.verdict ??= {
    pattern: 'repeated-output',
    details: `The model gave the same answer, or nearly the same, ${count} times in a row.`,
    count,
    threshold: config.repeatThreshold,
  };
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

/** What is said of an answer that repeats itself inside. */
function chanting({ count, sample, threshold }: Chant): LoopVerdict {
  return {
    pattern: 'repeated-output',
    details: `Within one answer the same words came ${count} times: ${JSON.stringify(sample)}.`,
    count,
    threshold,
  };
}

function noteCall(state: LoopState, call: OllmEventOf<'tool.requested'>['data'], config: LoopConfig): void {
  speak(state, config);
  const signature = callSignature(call.name, call.args);
  state.openCalls.push({ callId: call.callId, name: call.name, signature });
  if (state.openCalls.length > MAX_OPEN_CALLS) state.openCalls.shift();
  if (!state.recentCalls.some((recent) => recent.signature === signature)) delete state.output;
}

function noteResult(state: LoopState, finished: OllmEventOf<'tool.finished'>['data'], config: LoopConfig): void {
  state.speaking = false;
  const index = state.openCalls.findLastIndex(({ callId }) => callId === finished.callId);
  const [call] = index < 0 ? [] : state.openCalls.splice(index, 1);
  if (call === undefined) return;
  const { name, signature } = call;
  const { llmContent, images = [] } = finished.result;
  const content = [llmContent, ...images.map(({ blob }) => blob)].join('\n');
  const step = fingerprint(`${signature} ${finished.status}\n${content}`);
  if (!state.recentCalls.some((recent) => recent.step === step)) delete state.output;
  state.recentCalls.push({ name, signature, step });
  if (state.recentCalls.length > MAX_PERIOD * config.repeatThreshold) state.recentCalls.shift();
  const verdict = judgeCalls(state, config);
  if (verdict !== undefined) state.verdict ??= verdict;
}

function judgeCalls({ recentCalls }: LoopState, { repeatThreshold }: LoopConfig): LoopVerdict | undefined {
  const steps = recentCalls.map(({ step }) => step);
  const found = findRepetition(steps, repeatThreshold);
  if (found === undefined) return undefined;
  const names = recentCalls.slice(-found.period).map(({ name }) => name);
  const base = { count: found.count, threshold: repeatThreshold };
  return found.period === 1
    ? {
        pattern: 'repeated-tool',
        details: `The tool ${names[0]} was called ${found.count} times in a row with the same arguments and the same result.`,
        ...base,
      }
    : {
        pattern: 'cycle',
        details: `The calls ${names.join(', ')} came ${found.count} times in a row with the same arguments and the same results.`,
        ...base,
      };
}

/** The first sign of a model's answer counts the request that it answers. */
function speak(state: LoopState, { maxTurns }: LoopConfig): void {
  if (state.speaking) return;
  state.speaking = true;
  state.turns += 1;
  if (state.turns <= maxTurns) return;
  state.verdict ??= {
    pattern: 'turn-limit',
    details: `The model was asked ${state.turns} times since the last message of the user.`,
    count: state.turns,
    threshold: maxTurns,
  };
}
