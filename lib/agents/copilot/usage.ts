// Usage of the models. Newer versions record it for each call; older ones state the output of each answer, and the
// totals of a session by model when the program ends: the remainder is reported then.
import type { JsonObject } from '../agent.ts';
import { countIn, objectIn } from '../members.ts';
import { addUsage } from '../usage.ts';
import { type CopilotGiven, type CopilotState, shortId, type Totals, type TotalsOfModel } from './state.ts';

const MAX_MODELS = 20;
const NOTHING: Totals = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** The usage of one call of a model. */
export function readUsageRecord(usage: JsonObject, given: CopilotGiven): void {
  given.state.hasUsageRecords = true;
  const totals = totalsIn(usage);
  const message = shortId(usage.apiCallId);
  if (totals === undefined) return;
  report(shortId(usage.model), totals, { isOfConversation: true, message }, given);
}

/** The output of an answer, where nothing else is known of it yet. */
export function readOutput(tokens: unknown, message: string | undefined, given: CopilotGiven): void {
  const { state } = given;
  const outputTokens = countIn(tokens);
  if (state.hasUsageRecords || outputTokens === undefined) return;
  const totals = totalsOf(state, state.model);
  if (totals !== undefined) totals.outputTokens += outputTokens;
  report(state.model, { ...NOTHING, outputTokens }, { isOfConversation: false, message }, given);
}

/** Output of a subagent, which the totals hold too. */
export function countElsewhere(name: unknown, tokens: unknown, state: CopilotState): void {
  const totals = totalsOf(state, shortId(name) ?? state.model);
  if (totals !== undefined) totals.outputTokens += countIn(tokens) ?? 0;
}

/** The program ends: its totals count from the beginning of the session, or of this process. */
export function readTotals(metrics: JsonObject, given: CopilotGiven): void {
  const { state } = given;
  if (state.hasUsageRecords) return;
  for (const [name, metric] of Object.entries(metrics).slice(0, MAX_MODELS)) {
    const model = shortId(name);
    const now = totalsIn(objectIn(objectIn(metric)?.usage) ?? {});
    const before = totalsOf(state, model ?? '');
    if (now === undefined || before === undefined) continue;
    if (now.inputTokens < before.inputTokens) Object.assign(before, NOTHING);
    const rest: Totals = { ...NOTHING };
    for (const name of Object.keys(NOTHING) as (keyof Totals)[]) {
      rest[name] = Math.max(0, now[name] - before[name]);
      before[name] = Math.max(before[name], now[name]);
    }
    if (rest.inputTokens + rest.outputTokens > 0) report(model, rest, { isOfConversation: false }, given);
  }
}

/** The call that made the summary of a compaction is not among the totals. */
export function readCompactionUsage(usage: JsonObject, given: CopilotGiven): void {
  const totals = totalsIn(usage);
  if (totals === undefined || given.state.hasUsageRecords) return;
  report(shortId(usage.model), totals, { isOfConversation: false }, given);
}

function totalsOf({ totals }: CopilotState, model: string): TotalsOfModel | undefined {
  const known = totals.find((one) => one.model === model);
  if (known !== undefined || totals.length === MAX_MODELS) return known;
  const added = { model, ...NOTHING };
  totals.push(added);
  return added;
}

/** Input includes tokens read from the cache and written to it. */
function totalsIn(usage: JsonObject): Totals | undefined {
  const inputTokens = countIn(usage.inputTokens);
  const outputTokens = countIn(usage.outputTokens);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return {
    inputTokens,
    outputTokens,
    cachedTokens: countIn(usage.cacheReadTokens) ?? 0,
    cacheWriteTokens: countIn(usage.cacheWriteTokens) ?? 0,
    reasoningTokens: countIn(usage.reasoningTokens) ?? 0,
  };
}

function report(
  model: string | undefined,
  totals: Totals,
  { isOfConversation, message }: { readonly isOfConversation: boolean; readonly message?: string | undefined },
  given: CopilotGiven,
): void {
  const by = { model, message };
  // Anything but a call of the conversation itself says nothing about how full its window is.
  addUsage(totals, isOfConversation ? by : { ...by, purpose: 'summary' }, given);
}
