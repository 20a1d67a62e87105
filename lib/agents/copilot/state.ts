// What is remembered of a Copilot CLI session between two of its records. Plain JSON, bounded.
import type { Given } from '../given.ts';
import { nonEmpty, shortened } from '../members.ts';

export const PROVIDER = 'copilot';

export interface CopilotState {
  model: string;
  cwd: string;
  branch: string;
  commit: string;
  /** The number of the last turn, 0 before the first. */
  turn: number;
  /** Whether that one has not ended. */
  isTurnOpen: boolean;
  /** Whether the last answer of it needs nothing more. */
  isAnswered: boolean;
  /** Answers of the model in the open turn. */
  steps: number;
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
  /** What was reported so far, by model, where it does not. */
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

const MAX_TEXT = 100;
const MAX_REMEMBERED = 40;

export function initialState(): CopilotState {
  return {
    model: '',
    cwd: '',
    branch: '',
    commit: '',
    turn: 0,
    isTurnOpen: false,
    isAnswered: false,
    steps: 0,
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

/** What is remembered is short, whatever a record holds. */
export function shortText(value: unknown): string | undefined {
  const text = nonEmpty(value);
  return text === undefined ? undefined : shortened(text, MAX_TEXT);
}
