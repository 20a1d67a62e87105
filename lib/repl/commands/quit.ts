// /quit: closes the session and leaves.
import type { ReplCommand } from './command.ts';

export const quitCommand: ReplCommand = {
  name: 'quit',
  aliases: ['exit'],
  group: 'repl',
  arguments: '',
  summary: 'closes the session and leaves',
  example: '/quit',
  legal: 'always',
  async run() {
    return { type: 'quit' };
  },
};
