// Where a call runs: the one answer for the question that a user is asked and for the event that is stored. The sandbox
// confines the programs that tools start; a tool of ollm itself and a tool of a server start none.
import type { EventData } from '../../events/index.ts';
import type { Action } from '../../tools/action.ts';
import type { ToolBoundary } from '../turn-tools.ts';

type Whereabouts = Pick<EventData<'tool.started'>, 'sandbox' | 'network' | 'remote' | 'readsOnly' | 'envRemoved'> & {
  /** For the user who is asked. */
  readonly words: string;
};

/** `readsOnly`: its programs may write nothing, and have no network. */
export function whereItRuns(
  { command, isRemote = false }: Pick<Action, 'command' | 'isRemote'>,
  { sandbox, network, words, envRemoved }: ToolBoundary,
  { readsOnly = false }: { readonly readsOnly?: boolean } = {},
): Whereabouts {
  if (isRemote) return { sandbox: 'none', remote: true, envRemoved: [], words: 'run by a server, without a sandbox' };
  if (command === undefined) {
    return { sandbox: 'none', envRemoved: [], words: 'run by ollm itself, without starting a program' };
  }
  const limits = { network: network && !readsOnly, readsOnly: readsOnly || undefined };
  return { sandbox, ...limits, envRemoved: [...envRemoved], words };
}
