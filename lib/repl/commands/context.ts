// /context: what fills the window, part by part, and the entries that go before the model with every request.
import type { NewContextEntry } from '../../app/context/add-context.ts';
import type { CompactionPreview } from '../../app/sessions/change/compact-conversation.ts';
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { formatDuration, formatTime, shortCount } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitWidth } from '../../display/width.ts';
import type { BudgetPart } from '../../projections/budget.ts';
import type { ContextEntry } from '../../projections/context.ts';
import { formatTokens } from '../render/status-line.ts';
import { FREE_SIGN, windowBar } from '../render/window-bar.ts';
import { type CommandContext, type ReplCommand, splitFirstWord, wrongUsage } from './command.ts';
import { parseContextEntry } from './context-arguments.ts';
import { formatRows, type LabelledRow } from './rows.ts';
import { requireWritable } from './run.ts';

const EXCERPT_COLUMNS = 60;
const USUAL_PRIORITY = 50;
const WIDEST_BAR = 80;
/** With fewer columns, numbers are not aligned. */
const NARROW = 40;
const PARTS: readonly (readonly [part: BudgetPart, name: string])[] = [
  ['system', 'system prompt'],
  ['context', 'context entries'],
  ['tools', 'tool calls'],
  ['retrieval', 'retrieved text'],
  ['history', 'history'],
];
/** The descriptions of the tools that are on. */
const DEFINITIONS = 'tool definitions';
const NAME_COLUMNS = Math.max(DEFINITIONS.length, ...PARTS.map(([, name]) => name.length));

export const contextCommand: ReplCommand = {
  name: 'context',
  group: 'context',
  arguments: '[add KEY TEXT [--priority N] [--ttl 10m] | rm KEY | list]',
  summary: 'shows what fills the window; adds text to every request',
  details:
    'Without arguments it draws the parts of the window, the free room and the next compaction. Every request carries an entry until you remove it or its time is over; a new entry replaces one with the same key. A higher priority comes first; the default is 50',
  example: '/context add style Answer in short sentences.',
  legal: 'always',
  actions: {
    '': { run: showWindow },
    add: {
      takesText: true,
      complete: entryKeys,
      run: (context, text) => addEntry(context, parseContextEntry(text)),
    },
    rm: { takesText: true, complete: entryKeys, run: (context, text) => removeEntry(context, splitFirstWord(text)[0]) },
    list: { run: async (context) => listEntries(context) },
  },
};

function entryKeys({ conversation }: CommandContext, text: string): readonly string[] {
  return /\s/.test(text) ? [] : conversation.session.states.context.entries.map(({ key }) => key);
}

async function showWindow({ app, front, conversation }: CommandContext): Promise<void> {
  const { previewCompaction } = await import('../../app/sessions/change/compact-conversation.ts');
  const { windowReport } = await import('../../app/turn/window-report.ts');
  const report = await windowReport(app, conversation);
  const { used, limit, percent, available, definitionTokens, reserveTokens } = report;
  // The definitions have a row of their own.
  const parts = { ...report.parts, tools: conversation.session.states.budget.parts.tools };
  const preview = previewCompaction(app, conversation);
  const window = limit === undefined ? 'in a window of unknown size' : `of ${shortCount(limit)}`;
  const share = limit === undefined || percent === undefined ? '' : `, ${percent}%`;
  front.print(`${formatTokens(used)} tokens ${window}${share}. By part, as counted here:`);

  const rows = [
    {
      name: DEFINITIONS,
      tokens: definitionTokens,
      shown: definitionTokens === 0 ? '0' : `~${shortCount(definitionTokens)}`,
    },
    ...PARTS.map(([part, name]) => ({
      name,
      tokens: parts[part].count,
      shown: formatTokens(parts[part]),
    })),
  ];
  const columns = Math.min(WIDEST_BAR, front.columns);
  const nameColumns = columns < NARROW ? 0 : NAME_COLUMNS;
  const { bar, signs } = windowBar(rows, { total: limit ?? used.count, due: preview.dueAtTokens, columns });
  if (front.kind === 'terminal') front.print(bar);
  front.print(...rows.map(({ name, shown }, index) => legendRow(signs[index]!, name.padEnd(nameColumns), shown)));
  if (limit !== undefined && available !== undefined) {
    const left = available < 0 ? 'none' : shortCount(available);
    const beside = `beside ${shortCount(reserveTokens)} for the answer`;
    const sign = spanOf(FREE_SIGN, 'dim');
    front.print(legendRow(sign, 'left'.padEnd(nameColumns), `${left}, ${beside}`));
  }
  front.print(compactionSentence(preview));
  if (conversation.session.states.context.entries.length > 0) listEntries({ front, conversation });
}

function legendRow(sign: StyledLine[number], name: string, text: string): StyledLine {
  return [spanOf('  '), sign, spanOf(` ${name} ${text}`)];
}

const FATES: Readonly<Partial<Record<CompactionPreview['strategy'], string>>> = {
  truncate: 'be set aside',
  provider: 'be compacted by the provider',
};

/** The size from which a compaction runs by itself, and how many tokens one would free now. */
function compactionSentence({ dueAtTokens, strategy, next, preserveRecentTokens }: CompactionPreview): string {
  const when =
    dueAtTokens === undefined
      ? 'Compaction: only by /compact.'
      : `Compaction: above ${shortCount(dueAtTokens)} tokens.`;
  if (next === undefined)
    return `${when} There is nothing to compact yet: the last ${shortCount(preserveRecentTokens)} tokens always stay.`;
  const fate = FATES[strategy] ?? 'become a summary';
  const messages = next.messages === 1 ? 'the oldest message' : `the ${next.messages} oldest messages`;
  return `${when} Now ${messages}, ~${shortCount(next.tokens)} tokens, would ${fate}; ~${shortCount(next.keptTokens)} would stay.`;
}

function listEntries({ front, conversation }: Pick<CommandContext, 'front' | 'conversation'>): void {
  const { entries } = conversation.session.states.context;
  if (entries.length === 0) {
    front.print('No context entries. /context add KEY TEXT makes one.');
    return;
  }
  front.print('Context entries, the most important first:', ...formatRows(front.columns, entries.map(rowOf)));
}

function rowOf({ key, content, tokens, source, priority, expiresAt }: ContextEntry): LabelledRow {
  const facts = [`${formatTokens(tokens)} tokens`, source];
  if (priority !== USUAL_PRIORITY) facts.push(`priority ${priority}`);
  if (expiresAt !== undefined) facts.push(`until ${formatTime(expiresAt)}`);
  return [sanitizeLine(key), `${fitWidth(sanitizeLine(content), EXCERPT_COLUMNS)} (${facts.join(', ')})`];
}

async function addEntry({ app, front, conversation }: CommandContext, entry: NewContextEntry): Promise<void> {
  if (entry.key === '' || entry.content === '') throw wrongUsage(contextCommand, 'An entry needs a key and a text.');
  requireWritable(conversation);
  const { addContext } = await import('../../app/context/add-context.ts');
  const { replaced, warning } = await addContext(app, conversation, entry);
  const until = entry.ttlMs === undefined ? '' : ` for ${formatDuration(entry.ttlMs)}`;
  const key = sanitizeLine(entry.key);
  front.print(`${replaced ? 'Replaced' : 'Added'} ${key}. It is sent from the next turn on${until}.`);
  if (warning !== undefined) front.notice(warning);
}

async function removeEntry({ front, conversation }: CommandContext, key: string): Promise<void> {
  if (key === '') throw wrongUsage(contextCommand);
  requireWritable(conversation);
  const { removeContext } = await import('../../app/context/add-context.ts');
  if (!(await removeContext(conversation, key))) {
    throw wrongUsage(contextCommand, `There is no context entry ${sanitizeLine(key)}.`);
  }
  front.print(`Removed ${sanitizeLine(key)}.`);
}
