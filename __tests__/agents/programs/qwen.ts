import { LOCAL_RUNS } from '../../../lib/handover/proof/local-runs.ts';
import type { Program } from './program.ts';

export const qwen: Program = {
  ...LOCAL_RUNS.qwen,
  agent: 'qwen',
  idMember: 'session_id',
  call: (command) => ({ name: 'run_shell_command', args: { command, is_background: false } }),
};
