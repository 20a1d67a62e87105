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
    '': { run: async ({ front, conversation }) => front.print(MODE_WORDS[conversation.state.mode]) },
    ...Object.fromEntries(
      TOOL_MODES.map((mode): [string, CommandAction] => [mode, { run: (context) => setMode(context, mode) }]),
    ),
  },
};

async function setMode({ app, front, conversation }: CommandContext, mode: ToolMode): Promise<void> {
  requireWritable(conversation);
  const { switchMode } = await import('../../app/tools/tool-mode.ts');
  await switchMode(app, conversation, mode);
  front.print(MODE_WORDS[mode]);
}
