// The total spent: the sums of all reports of usage. A part of other states, like context.ts.
import type { UsageReported } from '../events/index.ts';

/** Everything that was ever used, also on branches that were left since. */
export interface Spent {
  /** Model calls that reported. */
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** The part of the input that came from a cache. */
  cachedTokens: number;
  /** US dollars, of the calls that had a price. Absent if none had. */
  totalCost?: number;
  callsWithoutCost: number;
}

export interface LastUsage {
  readonly message: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly totalCost?: number;
}

/** What a state that counts usage keeps. */
export interface Spending {
  spent: Spent;
  /** The last report, where it was on a message with an id: the next one may be on the same. */
  lastUsage?: LastUsage;
}

export function noneSpent(): Spent {
  return { calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, callsWithoutCost: 0 };
}

/** Adds a report. The same call may be reported again with each part of its answer: then its last report counts. */
export function addUsage(state: Spending, usage: UsageReported): void {
  const { spent, lastUsage } = state;
  const { message } = usage;
  if (lastUsage !== undefined && message === lastUsage.message) spend(spent, lastUsage, -1);
  spend(spent, usage, 1);
  if (message === undefined) delete state.lastUsage;
  else state.lastUsage = usedBy(usage, message);
}

type Used = Pick<UsageReported, 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'totalCost'>;

function usedBy({ inputTokens, outputTokens, cachedTokens, totalCost }: Used, message: string): LastUsage {
  return {
    message,
    inputTokens,
    outputTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(totalCost === undefined ? {} : { totalCost }),
  };
}

/** Adds one call, or with -1 takes it out. */
function spend(spent: Spent, { inputTokens, outputTokens, cachedTokens = 0, totalCost }: Used, sign: 1 | -1): void {
  spent.calls += sign;
  spent.inputTokens += sign * inputTokens;
  spent.outputTokens += sign * outputTokens;
  spent.cachedTokens += sign * cachedTokens;
  if (totalCost === undefined) spent.callsWithoutCost += sign;
  else spent.totalCost = (spent.totalCost ?? 0) + sign * totalCost;
}
