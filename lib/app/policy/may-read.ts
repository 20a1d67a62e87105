// Whether a policy lets a tool read a file.
import type { Decision, Policy } from '../../tools/decision.ts';

/** `tool`: its name. Default: the tool that reads files. */
export function mayRead(policy: Policy, path: string, tool = 'file_read'): Decision['kind'] {
  const accesses = [{ kind: 'read', path }] as const;
  return policy.decide({ tool, summary: '', isReadOnly: true, accesses }).kind;
}
