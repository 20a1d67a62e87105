// /context: what fills the window, part by part, and the entries that go before the model with every request.

import type { CompactionPreview } from '../../app/compact-conversation.ts';
import { shortCount } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitWidth } from '../../display/width.ts';
import { budgetReport } from '../../projections/budget.ts';
import { formatTokens } from '../render/status-line.ts';
import { type CommandContext, type ReplCommand, splitFirstWord, wrongUsage } from './command.ts';
import { formatRows } from './rows.ts';

const EXCERPT_COLUMNS = 60;

export const contextCommand: ReplCommand = {
  name: 'context',
  group: 'context',
  arguments: '[add KEY TEXT | rm KEY | list]',
  summary: 'shows what fills the window; keeps text before the model',
  details:
    'Without arguments it shows the tokens in the window by part. An entry goes along with every request until it is removed; adding one under a key that is there replaces it',
  example: '/context add style Answer in short sentences.',
  legal: 'always',
  complete: ({ conversation }, argument) => {
    const words = argument.trimStart().split(/\s+/);
    if (words.length <= 1) return ['add', 'rm', 'list'];
    return words.length === 2 && words[0] !== 'list'
      ? conversation.session.states.context.entries.map((entry) => entry.key)
      : [];
  },
  async run(context, argument) {
    const [action, rest] = splitFirstWord(argument);
    const [key, text] = splitFirstWord(rest);
    if (action === '') await showWindow(context);
    else if (action === 'list') listEntries(context);
    else if (action === 'add' && key !== '' && text.trim() !== '') await addEntry(context, key, text.trim());
    else if (action === 'rm' && key !== '') await removeEntry(context, key);
    else throw wrongUsage(contextCommand, 'That is not how /context is used.');
    return undefined;
  },
};

async function showWindow({ app, front, conversation }: CommandContext): Promise<void> {
  const { parts, used, limit, percent } = budgetReport(conversation.session.states.budget, { reserveTokens: 0 });
  const window = limit === undefined ? 'in a window of unknown size' : `of ${shortCount(limit)}`;
  const share = limit === undefined || percent === undefined ? '' : `, ${percent}%`;
  front.print(`${formatTokens(used)} tokens ${window}${share}. By part, as counted here:`);
  front.print(
    ...formatRows(
      [
        ['system prompt', formatTokens(parts.system)],
        ['context entries', formatTokens(parts.context)],
        ['history', formatTokens(parts.history)],
        ['tools', formatTokens(parts.tools)],
        ['retrieved text', formatTokens(parts.retrieval)],
      ],
      front.columns,
    ),
  );
  const { previewCompaction } = await import('../../app/compact-conversation.ts');
  front.print(compactionSentence(previewCompaction(app, conversation)));
  if (conversation.session.states.context.entries.length > 0) listEntries({ front, conversation });
}

/** When older messages make room by themselves, and what that would come to now. */
function compactionSentence({ dueAtTokens, strategy, next, preserveRecentTokens }: CompactionPreview): string {
  const when =
    dueAtTokens === undefined
      ? 'Compaction: by /compact alone.'
      : `Compaction: above ${shortCount(dueAtTokens)} tokens.`;
  if (next === undefined)
    return `${when} There is nothing to compact yet: the last ${shortCount(preserveRecentTokens)} tokens always stay.`;
  const fate = strategy === 'truncate' ? 'be set aside' : 'become a summary';
  const messages = next.messages === 1 ? 'the oldest message' : `the ${next.messages} oldest messages`;
  return `${when} Now ${messages}, ~${shortCount(next.tokens)} tokens, would ${fate}; ~${shortCount(next.keptTokens)} would stay.`;
}

function listEntries({ front, conversation }: Pick<CommandContext, 'front' | 'conversation'>): void {
  const { entries } = conversation.session.states.context;
  if (entries.length === 0) {
    front.print('No context entries. /context add KEY TEXT makes one.');
    return;
  }
  front.print(
    'Context entries, the most important first:',
    ...formatRows(
      entries.map((entry) => [
        sanitizeLine(entry.key),
        `${fitWidth(sanitizeLine(entry.content), EXCERPT_COLUMNS)} (${formatTokens(entry.tokens)} tokens, ${entry.source})`,
      ]),
      front.columns,
    ),
  );
}

async function addEntry({ app, front, conversation }: CommandContext, key: string, content: string): Promise<void> {
  const { addContext } = await import('../../app/add-context.ts');
  const { replaced, warning } = await addContext(app, conversation, { key, content });
  front.print(`${replaced ? 'Replaced' : 'Added'} ${sanitizeLine(key)}. It goes along from the next turn on.`);
  if (warning !== undefined) front.notice(warning);
}

async function removeEntry({ front, conversation }: CommandContext, key: string): Promise<void> {
  const { removeContext } = await import('../../app/add-context.ts');
  if (!(await removeContext(conversation, key))) {
    throw wrongUsage(contextCommand, `There is no context entry ${sanitizeLine(key)}.`);
  }
  front.print(`Removed ${sanitizeLine(key)}.`);
}
