// /usage: what this session has used so far, over all its models and branches.
import { countOf, formatCost, shortCount } from '../../display/quantities.ts';
import type { ReplCommand } from './command.ts';
import { formatRows } from './rows.ts';

export const usageCommand: ReplCommand = {
  name: 'usage',
  group: 'context',
  arguments: '',
  summary: 'shows the tokens and cost of the whole session',
  example: '/usage',
  legal: 'always',
  async run({ front, conversation }) {
    const { spent } = conversation.session.states.budget;
    const { turnCount, messageCount } = conversation.session.states.summary;
    front.print(
      ...formatRows(
        [
          ['turns', `${turnCount}, with ${countOf(messageCount, 'message')}`],
          ['requests', `${spent.calls} answered`],
          ['input', `${shortCount(spent.inputTokens)} tokens${cachedOf(spent)}`],
          ['output', `${shortCount(spent.outputTokens)} tokens`],
          ['cost', costOf(spent)],
        ],
        front.columns,
      ),
    );
    return undefined;
  },
};

function cachedOf({ cachedTokens }: { readonly cachedTokens: number }): string {
  return cachedTokens === 0 ? '' : `, ${shortCount(cachedTokens)} of them from a cache`;
}

function costOf({
  totalCost,
  callsWithoutCost,
}: {
  readonly totalCost?: number;
  readonly callsWithoutCost: number;
}): string {
  if (totalCost === undefined) return 'not known: the provider names no price';
  return callsWithoutCost === 0
    ? formatCost(totalCost)
    : `${formatCost(totalCost)}, without ${callsWithoutCost} requests that named no price`;
}
