// Projection: whether the model repeats itself. Looks at what happened since the last user message, keeps a fixed number
// of fingerprints, and says what repeats and why. It decides nothing: the turn does.
import type { LoopDetected } from '../events/index.ts';
import type { Fold } from './projection.ts';

export interface LoopConfig {
  /** Model requests between two user messages. */
  readonly maxTurns: number;
  /** How often in a row the same counts as a loop. */
  readonly repeatThreshold: number;
}

export const DEFAULT_LOOP_CONFIG: LoopConfig = { maxTurns: 50, repeatThreshold: 3 };

export interface LoopVerdict {
  readonly pattern: LoopDetected['pattern'];
  /** One sentence for people. */
  readonly details: string;
  readonly count: number;
  readonly threshold: number;
}

export interface LoopState {
  /** Model requests since the last user message. */
  turns: number;
  /** Whether the model speaks: its next call or message belongs to the same request. */
  speaking: boolean;
  /** Calls that have no result yet. */
  openCalls: { callId: string; name: string; signature: string }[];
  /** The last finished calls: signature of the call, fingerprint of its result. */
  recentCalls: { name: string; signature: string; result: string }[];
  /** The last output that was no mere call, and how often in a row it came. */
  output?: { fingerprint: string; count: number };
  verdict?: LoopVerdict;
}

const READS = ['message.added'] as const;

/** The fold for these thresholds. */
export function createLoopFold(config: LoopConfig = DEFAULT_LOOP_CONFIG): Fold<LoopState, (typeof READS)[number]> {
  void config;
  return {
    name: 'loop',
    version: 1,
    reads: READS,
    initial: () => ({ turns: 0, speaking: false, openCalls: [], recentCalls: [] }),
    apply: (state) => state,
  };
}

export const loopFold = createLoopFold();
