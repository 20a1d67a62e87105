// /mode: what tools do without a question, from here on. Shift+Tab goes from one to the next, but never to auto.
import { MODE_WORDS, TOOL_MODES, type ToolMode } from '../../tools/modes.ts';
import type { CommandAction, CommandContext, ReplCommand } from './command.ts';
import { requireWritable } from './run.ts';

export const modeCommand: ReplCommand = {
  name: 'mode',
  group: 'tools',
  arguments: '[ask | plan | edits | auto]',
  summary: 'shows or sets what tools do without a question',
  details:
    'ask: what changes something is asked about. plan: nothing is changed. edits: files of the project are changed without a question. auto: so is all that no rule denies, in the sandbox alone. Shift+Tab goes through ask, plan and edits. What is dangerous is asked about in each mode',
  example: '/mode plan',
  legal: 'always',
  actions: {
    '': { run: async (context) => showModes(context) },
    ...Object.fromEntries(
      TOOL_MODES.map((mode): [string, CommandAction] => [mode, { run: (context) => setMode(context, mode) }]),
    ),
  },
};

/** The present one first. */
function showModes({ front, conversation }: CommandContext): void {
  const { mode } = conversation.state;
  front.print(MODE_WORDS[mode]);
  for (const other of TOOL_MODES.filter((each) => each !== mode))
    front.notice(`/mode ${other}: ${MODE_WORDS[other].replace(/^Mode \w+: /, '')}`);
  front.notice('Shift+Tab goes through ask, plan and edits.');
}

async function setMode({ app, front, conversation }: CommandContext, mode: ToolMode): Promise<void> {
  requireWritable(conversation);
  const { switchMode } = await import('../../app/policy/tool-mode.ts');
  await switchMode(app, conversation, mode);
  front.print(MODE_WORDS[mode]);
}
