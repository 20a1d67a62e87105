// The events of a piece of a chat of aider. Nothing in it has a time or an id.
import { changeModel } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { amountIn, textIn } from '../members.ts';
import { addAnswer, addPrompt } from '../said.ts';
import { addUsage } from '../usage.ts';
import type { AiderGiven } from './state.ts';

export function translate(record: JsonObject, given: AiderGiven): RecordFacts {
  const { state } = given;
  const content = new Content(textIn(record.text));
  if (record.kind === 'prompt') addPrompt(content, given);
  else if (record.kind === 'answer') {
    state.steps += 1;
    state.answers += 1;
    state.isAnswered = true;
    addAnswer({ content, message: String(state.answers) }, given);
  } else if (record.kind === 'model') changeModel('', record.model, given);
  else if (record.kind === 'tokens') reportUsage(record, given);
  return {};
}

/** The counts are rounded: `2.5k`. */
function reportUsage({ sent, received, cacheHit, cacheWrite, cost }: JsonObject, given: AiderGiven): void {
  const { answers } = given.state;
  const [inputTokens, outputTokens] = [rounded(sent), rounded(received)];
  const cache = { cachedTokens: rounded(cacheHit), cacheWriteTokens: rounded(cacheWrite) };
  const used = { inputTokens, outputTokens, ...cache, totalCost: cost, isRounded: true };
  addUsage(used, { message: answers === 0 ? undefined : String(answers) }, given);
}

function rounded(value: unknown): number | undefined {
  const amount = amountIn(value);
  return amount === undefined || amount > Number.MAX_SAFE_INTEGER ? undefined : Math.round(amount);
}
