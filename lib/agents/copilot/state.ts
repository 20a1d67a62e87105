// The memory of a Copilot CLI session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortText } from '../members.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export const PROVIDER = 'copilot';

export interface CopilotState extends SessionMemory {
  /** The subagent that is read; '' for the session itself. */
  readonly inside: string;
  /** Id of the session, and its subagents. */
  readonly session: string;
  insides: string[];
  /** Id of the last answer. */
  answer: string;
  /** Calls that were requested and are not over, the newest. */
  calls: string[];
  /** Permissions that were asked for: id of the request, and of its call. */
  permissions: [request: string, callId: string][];
  /** Pictures that were said when their bytes came: a prompt only names them. The newest. */
  assets: string[];
  /** Whether the program records what each call of a model used. */
  hasUsageRecords: boolean;
  /** The reported usage by model, if it does not come with each call. */
  totals: TotalsOfModel[];
}

export interface Totals {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
}

export interface TotalsOfModel extends Totals {
  readonly model: string;
}

export type CopilotGiven = Given<CopilotState>;

const MAX_ID = 100;
const MAX_REMEMBERED = 40;

export function initialState(source: Source): CopilotState {
  const { id, inside = '' } = source;
  return {
    ...newSession(source, PROVIDER),
    inside,
    session: id,
    insides: [],
    answer: '',
    calls: [],
    permissions: [],
    assets: [],
    hasUsageRecords: false,
    totals: [],
  };
}

/** Adds to a list of which the newest count. */
export function remember<Item>(list: Item[], item: Item): void {
  list.push(item);
  if (list.length > MAX_REMEMBERED) list.shift();
}

/** Ids that are remembered in lists are shorter than other texts. */
export function shortId(value: unknown): string | undefined {
  return shortText(value, MAX_ID);
}
