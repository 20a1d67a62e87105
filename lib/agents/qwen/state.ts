// The memory of a Qwen Code session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortText } from '../members.ts';
import type { RecordPlace } from '../record-tree.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export const PROVIDER = 'qwen';

export interface QwenState extends SessionMemory {
  /** Tokens of the last request. */
  inputTokens: number;
  /** How long the newest calls took, told before their results: the id of the call, and milliseconds. */
  durations: [callId: string, ms: number][];
  records: RecordPlace[];
}

export type QwenGiven = Given<QwenState>;

const MAX_DURATIONS = 50;

export function initialState(source: Source): QwenState {
  return { ...newSession(source, PROVIDER), inputTokens: 0, durations: [], records: [] };
}

export function rememberDuration({ durations }: QwenState, callId: string, ms: number): void {
  durations.push([keyOf(callId), ms]);
  if (durations.length > MAX_DURATIONS) durations.shift();
}

export function takeDuration(state: QwenState, callId: string): number | undefined {
  const key = keyOf(callId);
  const ms = state.durations.find(([known]) => known === key)?.[1];
  state.durations = state.durations.filter(([known]) => known !== key);
  return ms;
}

/** The remembered key is short, for any id. */
function keyOf(callId: string): string {
  return shortText(callId) ?? '';
}
