// What is remembered of a Qwen Code session between two of its records. Plain JSON, bounded.
import type { RecordPlace } from '../record-tree.ts';

export interface QwenState {
  title: string;
  model: string;
  /** The number of the last turn, 0 before the first. */
  turn: number;
  isTurnOpen: boolean;
  /** Whether the last answer of it needs nothing more. */
  isAnswered: boolean;
  /** Answers of the model in the open turn. */
  steps: number;
  /** Tokens of the last request. */
  inputTokens: number;
  /** How long the newest calls took, told before their results: the id of the call, and milliseconds. */
  durations: [callId: string, ms: number][];
  records: RecordPlace[];
}

const MAX_DURATIONS = 50;

export function initialState(): QwenState {
  return {
    title: '',
    model: '',
    turn: 0,
    isTurnOpen: false,
    isAnswered: false,
    steps: 0,
    inputTokens: 0,
    durations: [],
    records: [],
  };
}

export function rememberDuration({ durations }: QwenState, callId: string, ms: number): void {
  durations.push([callId, ms]);
  if (durations.length > MAX_DURATIONS) durations.shift();
}

export function takeDuration(state: QwenState, callId: string): number | undefined {
  const ms = state.durations.find(([id]) => id === callId)?.[1];
  state.durations = state.durations.filter(([id]) => id !== callId);
  return ms;
}
