// A policy over a project that is not on the disk, and actions to decide on.
import type { Action } from '../../../lib/tools/action.ts';
import type { Decision } from '../../../lib/tools/decision.ts';
import { createSessionGrants } from '../../../lib/tools/policy/grants.ts';
import {
  type CreatedPolicy,
  createPolicy,
  type PolicyOptions,
  type PolicySettings,
} from '../../../lib/tools/policy/index.ts';

export const ROOT = '/home/me/project';
export const HOME_DIRECTORY = '/home/me';

const SETTINGS: PolicySettings = {
  allow: [],
  ask: [],
  deny: [],
  readable: [],
  writable: [],
  hidden: [],
  sandbox: 'preferred',
};

export function policyOf(
  settings: Partial<PolicySettings> = {},
  options: Partial<Omit<PolicyOptions, 'settings'>> = {},
): Promise<CreatedPolicy> {
  return createPolicy({
    settings: { ...SETTINGS, ...settings },
    root: ROOT,
    home: '/home/me/.ollm',
    homeDirectory: HOME_DIRECTORY,
    protectedPaths: ['/home/me/.ollm/session-data'],
    grants: createSessionGrants(() => 0),
    isConfined: true,
    ...options,
  });
}

export function shell(line: string, cwd = ROOT): Action {
  return { tool: 'bash', summary: line, isReadOnly: false, accesses: [], command: { kind: 'shell', line, cwd } };
}

export function program(tool: string, ...argv: [string, ...string[]]): Action {
  return { tool, summary: tool, isReadOnly: false, accesses: [], command: { kind: 'program', argv, cwd: ROOT } };
}

export function file(tool: string, kind: 'read' | 'write', path: string): Action {
  return { tool, summary: path, isReadOnly: kind === 'read', accesses: [{ kind, path }] };
}

/** What a policy with these settings says of a line. */
export async function onLine(line: string, settings: Partial<PolicySettings> = {}): Promise<Decision> {
  return (await policyOf(settings)).policy.decide(shell(line));
}
