// What the answers of the model used, and what the session cost.
import type { JsonObject } from '../agent.ts';
import { amountIn, countIn, defined, objectIn } from '../members.ts';
import { addUsage } from '../usage.ts';
import { type ClaudeGiven, PROVIDER } from './state.ts';

/** The same usage comes with each part of an answer, and grows at times: what changed is reported again. */
export function readUsage(usage: JsonObject | undefined, given: ClaudeGiven): void {
  const { state } = given;
  const own = countIn(usage?.input_tokens);
  const outputTokens = countIn(usage?.output_tokens);
  if (usage === undefined || own === undefined || outputTokens === undefined || state.answer === '') return;
  const cachedTokens = countIn(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = countIn(usage.cache_creation_input_tokens) ?? 0;
  const reasoningTokens = countIn(objectIn(usage.output_tokens_details)?.thinking_tokens);
  const inputTokens = own + cachedTokens + cacheWriteTokens;
  const before = state.usage;
  const isSame =
    before?.inputTokens === inputTokens &&
    before.outputTokens === outputTokens &&
    before.reasoningTokens === reasoningTokens;
  if (isSame) return;
  state.usage = { inputTokens, outputTokens, ...defined({ cachedTokens, cacheWriteTokens, reasoningTokens }) };
  reportUsage(given);
}

function reportUsage(given: ClaudeGiven): void {
  const { usage, answer, answerCost, model } = given.state;
  if (usage === undefined) return;
  addUsage({ ...usage, totalCost: answerCost }, { provider: PROVIDER, model, message: answer }, given);
}

/** The program states what the session has cost so far: what came since is that of the last answer. */
export function readCost({ totalCostUSD }: JsonObject, given: ClaudeGiven): void {
  const { state } = given;
  const cost = amountIn(totalCostUSD) ?? 0;
  if (cost <= state.cost) return;
  state.answerCost += cost - state.cost;
  state.cost = cost;
  reportUsage(given);
}
