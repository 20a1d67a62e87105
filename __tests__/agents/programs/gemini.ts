import { LOCAL_RUNS } from '../../../lib/handover/proof/local-runs.ts';
import type { Program } from './program.ts';

export const gemini: Program = {
  ...LOCAL_RUNS.gemini,
  agent: 'gemini',
  idMember: 'session_id',
  idCharacters: 8,
  losesSessions: true,
  call: (command) => ({ name: 'run_shell_command', args: { command, description: 'Reads the notes' } }),
  oracle: {
    asks: () => ['--list-sessions'],
    // 1. Title (Just now) [id]
    says: ({ output }) => {
      const [, title, id] = /^ *1\. (.*) \([^()]*\) \[([0-9a-f-]+)\]$/m.exec(output) ?? [];
      return { id, title };
    },
  },
};
