import { LOCAL_RUNS } from '../../../lib/handover/proof/local-runs.ts';
import type { Program } from './program.ts';

export const copilot: Program = {
  ...LOCAL_RUNS.copilot,
  agent: 'copilot',
  idMember: 'sessionId',
  call: (command) => ({ name: 'bash', args: { command, description: 'Reads the notes', mode: 'sync' } }),
};
