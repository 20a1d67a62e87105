// The memory of a session of Cline or its kin between two of its records. Plain JSON, bounded.
import { changeModel } from '../about.ts';
import type { JsonObject, Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

/** A call that waits for its result. */
type Waiting = readonly [callId: string, name: string];

export interface ClineState extends SessionMemory {
  readonly agent: string;
  waiting: Waiting[];
}

export type ClineGiven = Given<ClineState>;

const MAX_WAITING = 50;
const MAX_ID = 200;

export function initialState(source: Source): ClineState {
  return { ...newSession(source), agent: source.agent, waiting: [] };
}

export function awaitResult(callId: string, name: string, { waiting }: ClineState): void {
  if (callId.length > MAX_ID || name.length > MAX_ID) return;
  waiting.push([callId, name]);
  if (waiting.length > MAX_WAITING) waiting.shift();
}

/** The call that a result of a tool of this name belongs to. Some results name their tool by another word. */
export function answered(name: string, { waiting }: ClineState): string | undefined {
  const named = waiting.findIndex((one) => one[1] === name);
  return waiting.splice(Math.max(0, named), 1)[0]?.[0];
}

/** As a message or a request names it. */
export function changeModelOf(info: JsonObject | undefined, given: ClineGiven): void {
  if (info !== undefined) changeModel(info.providerId ?? info.provider, info.modelId ?? info.id, given);
}
