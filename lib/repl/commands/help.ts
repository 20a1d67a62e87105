// /help: the entries that are used most; /help all: everything that can be typed, made from the table of commands;
// /help NAME: all there is to know about one of them.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { KEY_BINDINGS } from '../input/key-bindings.ts';
import type { CommandContext, CommandGroup, CommandState, ReplCommand } from './command.ts';
import { usageOf } from './command.ts';
import { findCommand } from './find.ts';
import { formatRows } from './rows.ts';

const GROUP_TITLES: Readonly<Record<CommandGroup, string>> = {
  own: 'Your own',
  conversation: 'Conversation',
  context: 'Context and tokens',
  tools: 'Tools',
  session: 'Session',
  model: 'Model',
  repl: 'REPL',
};

const LEGAL_WORDS: Readonly<Record<CommandState, string>> = {
  always: 'At any prompt.',
  writable: 'While the journal can be written.',
  'after-a-turn': 'After the first turn, while the journal can be written.',
};

const INPUT: readonly (readonly [string, string])[] = [
  ['""" … """', 'a message of several rows, sent after the closing quotes'],
  ['@path', 'in a message: attaches the file or image; @"a path with spaces"; @@ for a plain @'],
  ['!command', 'runs a command; your next message carries it and its output to the model'],
  ['//text, !!text', 'a message that begins with a slash or an exclamation mark'],
];

const KEYS: readonly (readonly [string, string])[] = [
  ...KEY_BINDINGS.map(({ label, does }) => [label, does] as const),
  [
    'Up, Down',
    'the row above or below; from the first or last one, earlier input with the same beginning; a line that starts with a space is not saved',
  ],
];

/** Twenty rows, which fit a terminal of 24: commands by name, and input without a command. */
const MOST_USED: readonly (string | readonly [string, string])[] = [
  ['@path', 'attaches a file or an image to the message'],
  ['!command', 'runs a command; your next message carries its output'],
  ['Alt+Enter', 'a new row; so does \\ and Enter at the end of one'],
  ['Ctrl+C', 'cancels the turn; twice at an empty prompt leaves'],
  ['Shift+Tab', 'the next mode: ask, plan, edits'],
  'new',
  'load',
  'search',
  'undo',
  'retry',
  'diff',
  'revert',
  'copy',
  'model',
  'context',
  'compact',
  'usage',
  'tools',
  'export',
  'quit',
];

/** Where an agent of another maker answers, which reads files and runs commands itself. */
const MOST_USED_WITH_AGENTS: typeof MOST_USED = [
  ['@path', 'attaches an image to the message; the agent reads other files itself'],
  ['Alt+Enter', 'a new row; so does \\ and Enter at the end of one'],
  ['Ctrl+C', 'cancels the turn; twice at an empty prompt leaves'],
  ...['agent', 'new', 'load', 'search', 'copy', 'model', 'thinking', 'queue', 'usage', 'export', 'handover', 'quit'],
];

export const helpCommand: ReplCommand = {
  name: 'help',
  aliases: ['?'],
  group: 'repl',
  arguments: '[COMMAND | all]',
  summary: 'lists the commands used most, or all, or explains one',
  example: '/help context',
  legal: 'always',
  isImmediate: true,
  complete: ({ commands }) => ['all', ...commands.map((command) => command.name)],
  async run(context, argument) {
    const name = argument.trim().replace(/^\//, '');
    if (name === '') printMostUsed(context);
    else if (name === 'all') printAll(context);
    else printOne(context, findCommand(context.commands, name, context.conversation.agent));
  },
};

function printMostUsed({ front, commands, conversation }: CommandContext): void {
  const entries = conversation.agent === undefined ? MOST_USED : MOST_USED_WITH_AGENTS;
  const rows = entries.map((entry) => {
    if (typeof entry !== 'string') return entry;
    const { summary } = findCommand(commands, entry);
    return [`/${entry}`, summary.split(/[;:,]/)[0] ?? summary] as const;
  });
  front.print(...formatRows(front.columns, rows));
  front.notice('/help all lists everything, /help NAME explains one command.');
}

function printAll({ front, commands, conversation }: CommandContext): void {
  for (const [group, title] of Object.entries(GROUP_TITLES)) {
    const members = commands.filter((command) => command.group === group);
    if (members.length === 0) continue;
    front.print(heading(title), ...formatRows(front.columns, members.map(describe)), '');
  }
  const input = conversation.agent === undefined ? INPUT : INPUT.filter(([sign]) => sign !== '!command');
  front.print(heading('Input'), ...formatRows(front.columns, input), '');
  front.print(heading('Keys'), ...formatRows(front.columns, KEYS), '');
}

function printOne({ front }: CommandContext, command: ReplCommand): void {
  const aliases = command.aliases?.map((alias) => `/${alias}`).join(', ');
  front.print(
    heading(usageOf(command)),
    ...formatRows(front.columns, [
      ['Does', `${command.summary}${command.details ? `. ${command.details}` : '.'}`],
      ['Example', command.example],
      ['When', LEGAL_WORDS[command.legal]],
      ...(aliases ? [['Also', aliases] as const] : []),
    ]),
  );
}

function describe(command: ReplCommand): readonly [string, string] {
  const hasArguments = command.example.includes(' ');
  return [usageOf(command), command.summary + (hasArguments ? `, as in ${command.example}` : '')];
}

function heading(text: string): StyledLine {
  return [spanOf(text, 'bold')];
}
