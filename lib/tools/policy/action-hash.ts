// What an approval is bound to: exactly this call, command, directory and environment. Anything else has another hash,
// and so no approval.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../platform/json.ts';
import type { Action } from '../action.ts';

export interface HashedCall {
  readonly callId: string;
  /** As they were planned. */
  readonly args: unknown;
  readonly action: Action;
}

/**
 * SHA-256, 64 hexadecimal digits, of the call with its arguments, the files and programs that it uses, its directory,
 * and the names of the variables that it gets. The order of members and of names makes no difference.
 *
 * @example
 * actionHash({ callId: 'c1', args: { command: 'npm test' }, action: plan.action }, Object.keys(environment));
 */
export function actionHash({ callId, args, action }: HashedCall, environmentNames: readonly string[]): string {
  const { tool, accesses, command, web, isRemote = false } = action;
  const bound = { callId, args, tool, accesses, command, web, isRemote, environment: environmentNames.toSorted() };
  return hash('sha256', canonicalJson(bound), 'hex');
}
