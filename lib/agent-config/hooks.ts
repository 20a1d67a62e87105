// Hooks that have another program call `ollm sync --hook` when a turn or a session ends: where each program keeps those
// of its user, and the form of one. The programs share it: by event, a list of groups, each with a list of hooks.
import { join } from 'node:path';
import type { Surroundings } from '../agents/agent.ts';
import { ownDirectory } from '../agents/finding.ts';
import { shellLine } from '../display/shell-line.ts';
import { isObject } from '../platform/json.ts';
import type { HookProgramName } from './program-names.ts';
import { MCP_PROGRAMS } from './programs.ts';

/** A program that calls hooks. */
export interface HookProgram {
  readonly name: HookProgramName;
  /** Directories of its own. One of them exists where it was ever started. */
  roots(surroundings: Surroundings): readonly string[];
  /** The file of the user's hooks, in JSON. */
  file(surroundings: Surroundings): string;
  /** By event: the members of a hook, without its command. */
  readonly events: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** A sentence about the next step of the user in the program. */
  readonly advice?: string | undefined;
}

const claude: HookProgram = {
  name: 'claude',
  roots: rootsOf('claude'),
  file: (surroundings) => join(ownDirectory.claude(surroundings), 'settings.json'),
  // The user does not wait for the first. A program that ends does not wait for it either, but for the second.
  events: { Stop: { timeout: 60, async: true }, SessionEnd: { timeout: 10 } },
};

const codex: HookProgram = {
  name: 'codex',
  roots: rootsOf('codex'),
  file: (surroundings) => join(ownDirectory.codex(surroundings), 'hooks.json'),
  // More than 3 seconds are not granted to the second, and Codex warns about it.
  events: { Stop: { timeout: 10 }, SessionEnd: { timeout: 3 } },
  advice: 'Codex calls new and changed hooks only after you reviewed them there: it asks at its next start.',
};

const gemini: HookProgram = {
  name: 'gemini',
  roots: rootsOf('gemini'),
  file: (surroundings) => MCP_PROGRAMS.find(({ name }) => name === 'gemini')!.files(surroundings)[0]!,
  events: { AfterAgent: { name: 'ollm', timeout: 10_000 }, SessionEnd: { name: 'ollm', timeout: 10_000 } },
};

/** By the names that they have in an address. */
export const HOOK_PROGRAMS: readonly HookProgram[] = [claude, codex, gemini];

/** The member of the file that has the groups by their events. */
export const HOOKS = 'hooks';

/** The words that have an ollm take what a hook is given. */
const SYNC = ['sync', '--hook'];
/** A command line of these words: any ollm, quoted or not. */
const OURS = /(?:^|[\s'"\\/])ollm(?:\.[cm]?js|\.cmd)?['"]?\s+sync\s+--hook\s*$/;

/**
 * The command line of a hook, as a shell reads it.
 *
 * @example
 * hookCommand(['ollm'], { OLLM_HOME: '/my data' }); // "OLLM_HOME='/my data' ollm sync --hook"
 */
export function hookCommand(program: readonly string[], env: Readonly<Record<string, string>>): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellLine([value])}`);
  return [...variables, shellLine([...program, ...SYNC])].join(' ');
}

/** The command lines of ollm among the groups of an event. */
export function ourCommands(groups: unknown): readonly string[] {
  return listIn(groups).flatMap((group) =>
    hooksOf(group).flatMap((hook) => (isOurs(hook) && isObject(hook) ? [String(hook.command)] : [])),
  );
}

/** The groups of an event without the hooks of any ollm, and with this one at the end. Undefined if none is left. */
export function withHook(
  groups: unknown,
  hook: (Readonly<Record<string, unknown>> & { readonly command: string }) | undefined,
): readonly unknown[] | undefined {
  const others = listIn(groups).flatMap((group): unknown[] => {
    const hooks = hooksOf(group);
    const kept = hooks.filter((each) => !isOurs(each));
    if (kept.length === hooks.length) return [group];
    return kept.length === 0 ? [] : [{ ...(group as object), hooks: kept }];
  });
  const wanted = hook === undefined ? others : [...others, { hooks: [{ type: 'command', ...hook }] }];
  return wanted.length === 0 ? undefined : wanted;
}

function isOurs(hook: unknown): boolean {
  return isObject(hook) && typeof hook.command === 'string' && OURS.test(hook.command);
}

function hooksOf(group: unknown): readonly unknown[] {
  return isObject(group) ? listIn(group.hooks) : [];
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function rootsOf(name: HookProgramName): HookProgram['roots'] {
  return MCP_PROGRAMS.find((program) => program.name === name)!.roots;
}
