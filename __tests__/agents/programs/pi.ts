import { LOCAL_RUNS } from '../../../lib/handover/proof/local-runs.ts';
import type { Program } from './program.ts';

export const pi: Program = {
  ...LOCAL_RUNS.pi,
  agent: 'pi',
  idMember: 'id',
  call: (command) => ({ name: 'bash', args: { command } }),
};
