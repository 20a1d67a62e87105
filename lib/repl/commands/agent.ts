// `/agent`: the agent of another maker that answers here, and its own commands.
import { sanitizeLine } from '../../display/sanitize.ts';
import { RUN_AGENTS } from '../../runs/profiles.ts';
import { type ReplCommand, wrongUsage } from './command.ts';
import { formatRows, type LabelledRow } from './rows.ts';

export const agentCommand: ReplCommand = {
  name: 'agent',
  group: 'conversation',
  arguments: '[TEXT]',
  summary: 'shows the agent of another maker that answers, or sends it a command of its own',
  details: 'TEXT is sent as it is. "ollm repl --agent NAME" begins a conversation with an agent',
  example: '/agent /compact',
  legal: 'always',
  async run({ front, conversation }, text) {
    const { agent } = conversation;
    if (agent === undefined) {
      throw wrongUsage(
        agentCommand,
        `A model answers here. "ollm repl --agent NAME" begins a conversation with one of ${RUN_AGENTS.join(', ')}.`,
      );
    }
    if (text.trim() !== '') return { type: 'message', text: text.trim(), typed: '' };
    const rows = agent.describe().map(([label, value]): LabelledRow => [label, sanitizeLine(value)]);
    front.print(...formatRows(front.columns, rows));
    return undefined;
  },
};
