// The events of a piece of a chat of aider. Nothing in it has a time or an id.
import { changeModel } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { amountIn, textIn } from '../members.ts';
import { addAnswer, addUserMessage } from '../said.ts';
import { beginTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';
import type { AiderGiven } from './state.ts';

export function translate(record: JsonObject, given: AiderGiven): RecordFacts {
  const { state } = given;
  const content = new Content();
  content.addText(textIn(record.text));
  if (record.kind === 'prompt' && content.parts.length > 0) {
    beginTurn(content.text, given);
    addUserMessage({ content, isSynthetic: false }, given);
  } else if (record.kind === 'answer') {
    state.steps += 1;
    state.answers += 1;
    state.isAnswered = true;
    addAnswer({ content, provider: '', model: state.model, message: String(state.answers) }, given);
  } else if (record.kind === 'model') changeModel('', record.model, given);
  else if (record.kind === 'tokens') reportUsage(record, given);
  return {};
}

/** The counts are rounded: `2.5k`. */
function reportUsage({ sent, received, cacheHit, cacheWrite, cost }: JsonObject, given: AiderGiven): void {
  const [inputTokens, outputTokens] = [rounded(sent), rounded(received)];
  if (inputTokens === undefined || outputTokens === undefined) return;
  const { model, answers } = given.state;
  addUsage(
    {
      inputTokens,
      outputTokens,
      cachedTokens: rounded(cacheHit),
      cacheWriteTokens: rounded(cacheWrite),
      totalCost: amountIn(cost),
      isRounded: true,
    },
    { provider: '', model, message: answers === 0 ? undefined : String(answers) },
    given,
  );
}

function rounded(value: unknown): number | undefined {
  const amount = amountIn(value);
  return amount === undefined || amount > Number.MAX_SAFE_INTEGER ? undefined : Math.round(amount);
}
