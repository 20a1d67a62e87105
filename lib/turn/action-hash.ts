// What exactly was decided on, as one number: an approval is good for this and nothing else.
import { hash } from 'node:crypto';
import type { Action } from '../tools/action.ts';
import type { ToolBoundary } from './turn-tools.ts';

/** SHA-256, 64 hex digits, of call, command, directory and what it runs in. */
export function hashAction(action: Action, args: unknown, boundary: ToolBoundary): string {
  const { tool, accesses, command, preview, isRemote = false } = action;
  const { sandbox, network, envRemoved } = boundary;
  return hash(
    'sha256',
    canonicalJson([tool, args, accesses, command, preview, isRemote, sandbox, network, envRemoved]),
  );
}

/** Members in the order of their names: it does not matter in which order a model wrote them. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
