// /clear: an empty screen. The conversation is as it was.
import type { ReplCommand } from './command.ts';

export const clearCommand: ReplCommand = {
  name: 'clear',
  group: 'repl',
  arguments: '',
  summary: 'clears the screen; the conversation stays',
  example: '/clear',
  legal: 'always',
  async run({ front }) {
    front.clearScreen();
    return undefined;
  },
};
