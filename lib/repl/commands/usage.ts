// /usage: tokens and cost of this session, over all its models and branches.
import { OFFLINE } from '../../app/providers/choose-provider.ts';
import { countOf, formatCost, shortCount } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { Spent } from '../../projections/spending.ts';
import type { CommandContext, ReplCommand } from './command.ts';
import { formatRows, type LabelledRow } from './rows.ts';

/** A count so low that no price depends on it. */
const PRICED_TOKENS = 1000;

export const usageCommand: ReplCommand = {
  name: 'usage',
  aliases: ['cost', 'stats'],
  group: 'context',
  arguments: '',
  summary: 'shows the tokens and cost of the whole session, and what caches saved',
  example: '/usage',
  legal: 'always',
  async run(context) {
    const { front, conversation } = context;
    const { spent } = conversation.session.states.budget;
    const { summary, openEnds } = conversation.session.states;
    const { turnCount, messageCount, timeline } = summary;
    const prompts = timeline.entries.filter(({ pinned }) => pinned).length;
    const said = `${countOf(messageCount - prompts, 'message')}${prompts > 0 ? ' and the system prompt' : ''}`;
    // Undone turns were paid for all the same.
    const undone = openEnds.turns > turnCount ? `; ${countOf(openEnds.turns - turnCount, 'turn')} more undone` : '';
    front.print(
      ...formatRows(front.columns, [
        ['turns', `${turnCount}, with ${said}${undone}`],
        ['requests', `${spent.calls} answered${undone && ', in undone turns too'}`],
        ['input', `${shortCount(spent.inputTokens)} tokens${cachedOf(spent)}`],
        ['output', `${shortCount(spent.outputTokens)} tokens`],
        ['cost', costOf(context, spent)],
        ...savedOf(context, spent),
        ...(await agentsOf(context)),
      ]),
    );
  },
};

/** Usage of agents, in addition to the rows above, which do not count them. */
async function agentsOf({ app, conversation }: CommandContext): Promise<readonly LabelledRow[]> {
  const { spentByAgents } = await import('../../app/sessions/read/spent-by-agents.ts');
  const found = await spentByAgents(app, conversation);
  if (found === undefined) return [];
  const { calls, inputTokens, outputTokens, totalCost } = found.spent;
  const cost = totalCost === undefined ? '' : `, ${formatCost(totalCost)}`;
  const tokens = shortCount(inputTokens + outputTokens);
  return [
    ['agents', `${countOf(found.agents, 'agent')} beside this: ${countOf(calls, 'request')}, ${tokens} tokens${cost}`],
  ];
}

function cachedOf({ cachedTokens, inputTokens }: Spent): string {
  if (cachedTokens === 0) return '';
  const share = Math.round((cachedTokens / Math.max(1, inputTokens)) * 100);
  return `, ${shortCount(cachedTokens)} of them from a cache (${share}%)`;
}

/** The further cost that tokens from a cache would have had, by the price of the current model. */
function savedOf({ conversation }: CommandContext, { cachedTokens }: Spent): readonly LabelledRow[] {
  if (cachedTokens === 0) return [];
  const { provider, model } = conversation.choice;
  const price = (cached: number) =>
    provider.costOf?.({ inputTokens: PRICED_TOKENS, outputTokens: 0, cachedTokens: cached }, model);
  const [plain, cached] = [price(0), price(PRICED_TOKENS)];
  if (plain === undefined || cached === undefined) return [];
  const saved = ((plain - cached) / PRICED_TOKENS) * cachedTokens;
  return [['saved', `about ${formatCost(saved)} by the cache, at the price of ${sanitizeLine(model)}`]];
}

function costOf({ conversation }: CommandContext, { totalCost, callsWithoutCost }: Spent): string {
  const { agent, choice } = conversation;
  const { provider, model } = choice;
  // An agent has prices of its own, and some do not even say their model.
  if (totalCost === undefined && agent !== undefined) return `not known: ${agent.title} reports none`;
  if (totalCost === undefined && provider.name === OFFLINE) return 'none: the built-in search asks no provider';
  if (totalCost === undefined) {
    const isPriced = provider.costOf?.({ inputTokens: 1, outputTokens: 1 }, model) !== undefined;
    return isPriced
      ? 'not known: no request reported its tokens'
      : `not known: there is no price for ${sanitizeLine(model)}; "prices" in the configuration can name one`;
  }
  return callsWithoutCost === 0
    ? formatCost(totalCost)
    : `${formatCost(totalCost)}, without ${countOf(callsWithoutCost, 'request')} of unknown cost, such as a cancelled one`;
}
