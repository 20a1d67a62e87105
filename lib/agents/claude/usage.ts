// Usage of the model's answers, and cost of the session.
import type { Usage } from '../../messages/index.ts';
import type { JsonObject } from '../agent.ts';
import { amountIn, countIn, defined, objectIn } from '../members.ts';
import { addUsage } from '../usage.ts';
import type { ClaudeGiven } from './state.ts';

/** Each part of an answer repeats its usage, which grows at times: changes are reported again. */
export function readUsage(usage: unknown, given: ClaudeGiven): void {
  const { state } = given;
  const now = usedIn(usage);
  if (now === undefined || state.answer === '') return;
  const { usage: before } = state;
  const isSame =
    before?.inputTokens === now.inputTokens &&
    before.outputTokens === now.outputTokens &&
    before.reasoningTokens === now.reasoningTokens;
  if (isSame) return;
  state.usage = now;
  reportUsage(given);
}

function usedIn(value: unknown): Usage | undefined {
  const usage = objectIn(value);
  const own = countIn(usage?.input_tokens);
  const outputTokens = countIn(usage?.output_tokens);
  if (usage === undefined || own === undefined || outputTokens === undefined) return undefined;
  const cachedTokens = countIn(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = countIn(usage.cache_creation_input_tokens) ?? 0;
  const reasoningTokens = countIn(objectIn(usage.output_tokens_details)?.thinking_tokens);
  const inputTokens = own + cachedTokens + cacheWriteTokens;
  return { inputTokens, outputTokens, ...defined({ cachedTokens, cacheWriteTokens, reasoningTokens }) };
}

function reportUsage(given: ClaudeGiven): void {
  const { usage, answer, answerCost } = given.state;
  if (usage === undefined) return;
  addUsage({ ...usage, totalCost: answerCost }, { message: answer }, given);
}

/** The program states the total cost of the session: the growth belongs to the last answer. */
export function readCost({ totalCostUSD }: JsonObject, given: ClaudeGiven): void {
  const { state } = given;
  const cost = amountIn(totalCostUSD) ?? 0;
  if (cost <= state.cost) return;
  state.answerCost += cost - state.cost;
  state.cost = cost;
  reportUsage(given);
}
