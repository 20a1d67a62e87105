import { LOCAL_RUNS } from '../../../lib/handover/proof/local-runs.ts';
import type { Program } from './program.ts';

export const claude: Program = {
  ...LOCAL_RUNS.claude,
  agent: 'claude',
  idMember: 'session_id',
  call: (command) => ({ name: 'Bash', args: { command, description: 'Reads the notes' } }),
};
