// The memory of a Gemini CLI session between two of its records. Plain JSON, bounded: the read parts of the newest
// messages, because the program writes a message again when there is more of it.
import { hash } from 'node:crypto';
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { keyOf } from '../record-key.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export const PROVIDER = 'gemini';

/** A message of the session as it is now. */
export interface Known {
  /** A key made of its id. */
  readonly key: string;
  /** The last event before it. */
  readonly before: number;
  /** A digest of its text; '' while it had none. */
  digest: string;
  /** Whether an event has its id, so that another one can replace its text. */
  isSaid: boolean;
  /** Whether its usage was reported. */
  isCounted: boolean;
  /** How many of its calls were read. */
  calls: number;
  /** The calls without a result, by their order. */
  open: number[];
}

export interface GeminiState extends SessionMemory {
  /** Tokens of the last request. */
  inputTokens: number;
  /** The newest messages, in their order. */
  messages: Known[];
  /**
   * The program set a shorter list of messages: the last event that stays, if it continues with it. A continued session
   * sets one of them for a moment.
   */
  shortened: number | undefined;
}

export type GeminiGiven = Given<GeminiState>;

const DIGEST_CHARACTERS = 8;
const MAX_MESSAGES = 200;
/** Calls that a message has without a result at a time. */
const MAX_OPEN = 16;

export function initialState(source: Source): GeminiState {
  return { ...newSession(source, PROVIDER), inputTokens: 0, messages: [], shortened: undefined };
}

export function knownOf({ messages }: GeminiState, id: string): Known | undefined {
  return id === '' ? undefined : messages.findLast(({ key }) => key === keyOf(id));
}

/** A message without an id is never recognised again. */
export function remember({ messages }: GeminiState, id: string, before: number): Known {
  const known = { key: keyOf(id), before, digest: '', isSaid: false, isCounted: false, calls: 0, open: [] };
  messages.push(known);
  if (messages.length > 2 * MAX_MESSAGES) messages.splice(0, MAX_MESSAGES);
  return known;
}

/** Forgets the message and all later ones; returns the last event before them, undefined if it is not remembered. */
export function forgetFrom(state: GeminiState, id: string): number | undefined {
  const index = state.messages.findLastIndex(({ key }) => key === keyOf(id));
  return state.messages.splice(index < 0 ? state.messages.length : index)[0]?.before;
}

export function markOpen(known: Known, call: number): void {
  if (known.open.length < MAX_OPEN) known.open.push(call);
}

export function digestOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, DIGEST_CHARACTERS);
}
