// Ends a program and everything that it started: by its group and by the mark that each of them inherited, since tools
// of agents leave the group. First it is asked to, then it is killed, until none is left.
import type { ProcessGroup } from '../platform/processes/process-group.ts';
import { sendSignal } from '../platform/processes/process-group.ts';
import { processesMarked } from '../platform/processes/process-tree.ts';
import { systemSleep } from '../platform/waiting.ts';

/** The variable that everything of a run has. */
export const MARK_VARIABLE = 'OLLM_RUN';
/** How long they may take to end after SIGTERM. */
const GRACE_MS = 5_000;
const POLL_MS = 50;
const MAX_SWEEPS = 200;

interface EndedGroup extends Pick<ProcessGroup, 'pid' | 'signalGroup'> {
  /** Whether its first process is a guard, with which the others end immediately: it is not asked to end. */
  readonly isGuarded?: boolean | undefined;
}

/** `group`: undefined where this process did not start it. */
export async function endTree(mark: string, group?: EndedGroup): Promise<void> {
  const send = (signal: NodeJS.Signals, spared?: number): number => {
    if (spared === undefined) group?.signalGroup(signal);
    const marked = marksOf(mark).filter((pid) => pid !== spared);
    for (const pid of marked) sendSignal(pid, signal);
    return marked.length;
  };
  send('SIGTERM', group?.isGuarded ? group.pid : undefined);
  for (let waited = 0; waited < GRACE_MS && marksOf(mark).length > 0; waited += POLL_MS) await systemSleep(POLL_MS);
  for (let sweep = 0; sweep < MAX_SWEEPS && send('SIGKILL') > 0; sweep += 1) await systemSleep(POLL_MS);
}

function marksOf(mark: string): readonly number[] {
  return processesMarked(`${MARK_VARIABLE}=${mark}`);
}
