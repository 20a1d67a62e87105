// Makes the policy of a session from the user's rules and grants and the defaults. A decision is a pure function of the
// call and of these; nothing that a model or a tool says takes part in it.
import { isAbsolute, resolve } from 'node:path';
import { excerpt } from '../../display/excerpt.ts';
import type { Action, Command } from '../action.ts';
import type { Decision, Policy } from '../decision.ts';
import { inMode, inPlan, type ToolMode } from '../modes.ts';
import type { GrantStore } from './grants.ts';
import { deny, type Grounds, judgeAccess, judgeCommand, judgeHost, judgeUnknown, reached } from './judge.ts';
import { createPlaces } from './places.ts';
import { type RuleSettings, readRules } from './rule-book.ts';
import { coversTool } from './rules.ts';
import { type LineReading, type Redirect, readLine, readProgram, type ShellParser } from './shell-line.ts';
import { strictest } from './strictest.ts';

/** The settings under `tools` that decide. */
export interface PolicySettings extends RuleSettings {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  readonly sandbox: 'required' | 'preferred' | 'off';
}

export interface PolicyOptions {
  readonly settings: PolicySettings;
  /** The root of the project, absolute and with its links resolved. */
  readonly root: string;
  /** The reason why the root is no project, such as “your home directory”. Then nothing in it is open unasked. */
  readonly noProject?: string | undefined;
  /** $OLLM_HOME: configuration and journals, which no tool sees or changes. */
  readonly home: string;
  /** The user's own directory, for `~` and the keys in it. */
  readonly homeDirectory: string;
  /** Places that no tool changes, in addition to the built-in ones: the journals, wherever they are. */
  readonly protectedPaths: readonly string[];
  readonly grants: GrantStore;
  /** Whether programs are confined by the operating system. Without that nothing runs unasked. */
  readonly isConfined: boolean;
  /** The mode of the session, asked for each call. Default: ask. */
  readonly mode?: (() => ToolMode) | undefined;
  /**
   * Directories that each confined program has for itself; what a shell opens there is none of this machine's files.
   */
  readonly ownPlaces?: readonly string[] | undefined;
  /** Skills that the user trusts, by the real paths of their directories and files. The file tools may read there. */
  readonly skills?: (() => readonly string[]) | undefined;
  /** Follows the links of an absolute path as far as it exists. Default: takes paths as they are written. */
  readonly realPath?: ((path: string) => string) | undefined;
  /**
   * Why git in this directory may start what a repository names, or follow it out of the project. Default: nothing.
   */
  readonly gitRisk?: ((directory: string) => string | undefined) | undefined;
  /** Whether a regular file is there: some names are those of keys only then. Default: always. */
  readonly isFile?: ((path: string) => boolean) | undefined;
}

export interface CreatedPolicy {
  readonly policy: Policy;
  /** Rules that cannot be read, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Loads the parser for shell lines, so make it when there are tools to decide on.
 *
 * @example
 * const { policy, warnings } = await createPolicy({ settings: config.tools, root, home, homeDirectory, protectedPaths,
 * grants, isConfined }); policy.decide(plan.action); // { kind: 'ask', rule: 'default:write', reason: 'It writes
 * a.ts.', grant: 'file_write(a.ts)' }
 */
export async function createPolicy(options: PolicyOptions): Promise<CreatedPolicy> {
  const parser: ShellParser = await import('unbash');
  const { settings, grants } = options;
  const rules = readRules(settings);
  const places = createPlaces({
    ...options,
    readable: settings.readable,
    writable: settings.writable,
    hidden: [...settings.hidden, options.home],
    protected: [...options.protectedPaths, options.home],
  });
  const { homeDirectory, realPath = (path: string) => path, gitRisk = () => undefined } = options;
  const decide = (action: Action): Decision => {
    const book = { rules, grants: grants.list(), denials: grants.denials() };
    const grounds = { ...book, places, homeDirectory, realPath, gitRisk };
    const mode = options.mode?.() ?? 'ask';
    const isConfined = options.isConfined && settings.sandbox !== 'off';
    const judged = partsOf(action, grounds, parser);
    const partsIn = (mode: ToolMode) =>
      judged.map(({ decision, isInProject = false }) =>
        askedOutsideProjects(inMode(mode, decision, { action, isInProject, isConfined }), options),
      );
    const parts = partsIn(mode);
    const strict = strictest(parts);
    const isEdit = strict.kind === 'ask' && strictest(partsIn('edits')).kind === 'allow';
    const decision = {
      ...strict,
      ...(startsReaders(action, parts) ? { readsOnly: true } : {}),
      ...(isEdit ? { isEdit } : {}),
    };
    return confined(mode === 'plan' ? inPlan(action, decision) : decision, action, options);
  };
  return {
    policy: {
      decide,
      grant: async (rule) => void (await grants.add(rule)),
      deny: async (rule) => void (await grants.deny(rule)),
    },
    warnings: rules.warnings,
  };
}

/**
 * A root that is no project: calls that a project allows by default need a question. Rules and grants of the user hold.
 */
function askedOutsideProjects(decision: Decision, { noProject }: PolicyOptions): Decision {
  if (noProject === undefined || decision.kind !== 'allow' || !OPEN_IN_PROJECTS.test(decision.rule)) return decision;
  return {
    kind: 'ask',
    rule: 'default:no-project',
    reason: `This is ${noProject}, not a project, so each use of its files is asked about.`,
  };
}

const OPEN_IN_PROJECTS = /^(?:default:(?:read-in-project|reading|git-reading|cd-inside)|mode:(?:edits|auto))$/;

/** Programs that only read as far as can be told: what a repository has them start may do more. */
function startsReaders({ command }: Action, parts: readonly Decision[]): boolean {
  return command !== undefined && parts.every((part) => part.kind === 'allow' && part.readsOnly === true);
}

interface Part {
  readonly decision: Decision;
  /** Whether it is about a file of the project. */
  readonly isInProject?: boolean | undefined;
}

function partsOf(action: Action, grounds: Grounds, parser: ShellParser): Part[] {
  const { tool, accesses, command } = action;
  const parts: Part[] = accesses.map((access) => ({
    decision: judgeAccess(access, { tool }, grounds),
    isInProject: grounds.places.inProject(access.path) !== undefined,
  }));
  if (command) parts.push(...partsOfCommand(command, tool, grounds, parser).map((decision) => ({ decision })));
  if (action.web) parts.push({ decision: judgeHost(action.web, { tool }, grounds) });
  if (action.isRemote || parts.length === 0) parts.push({ decision: judgeUnknown(action, grounds) });
  return parts;
}

function partsOfCommand(command: Command, tool: string, grounds: Grounds, parser: ShellParser): Decision[] {
  const reading = command.kind === 'shell' ? readLine(command.line, parser) : readProgram(command.argv, parser);
  if (reading.kind === 'refused') return [deny('default:unclear', `The command ${reading.reason}.`)];
  const directories = directoriesOf(reading, command.cwd, grounds);
  return [
    ...refusalOfDirectory(command.cwd, grounds),
    ...reading.commands.map((one) => judgeCommand(one, { tool, directories }, grounds)),
    ...reading.redirects.map((one) => judgeRedirect(one, tool, directories, grounds)),
    ...reading.dangers.map(
      (dangerous) => ({ kind: 'ask', rule: 'default:dangerous', reason: `It ${dangerous}.`, dangerous }) as const,
    ),
  ];
}

/** A program starts in the project, or where the user opened a directory. */
function refusalOfDirectory(cwd: string, { places, realPath }: Grounds): Decision[] {
  const path = realPath(cwd);
  if (places.isReadable(path) && !places.isHidden(path)) return [];
  return [deny('default:outside', `It would run in ${cwd}, which is outside the project.`)];
}

/**
 * What a shell opens by itself counts like a file tool. Where it cannot be known which file that is, the user is
 * asked.
 */
function judgeRedirect(
  { kind, target }: Redirect,
  tool: string,
  directories: readonly string[] | undefined,
  grounds: Grounds,
): Decision {
  if (target.isFixed && !target.isAtHome && NO_FILE.test(target.text)) {
    return { kind: 'allow', by: 'policy', rule: 'default:no-effect', readsOnly: true };
  }
  const as = { tool: kind === 'read' ? 'file_read' : 'file_write', via: tool };
  const isAbsolutePath = target.isAtHome || isAbsolute(target.text);
  const starts = isAbsolutePath ? ['/'] : directories;
  if (!target.isFixed || starts === undefined || target.text.includes('\0')) {
    const denied = grounds.rules.deny.find((rule) => coversTool(rule, as.tool));
    if (denied)
      return deny(
        `deny:${denied.source}`,
        `Your rule ${denied.source} may forbid it: which file ${excerpt(target.text)} is cannot be known.`,
      );
    return {
      kind: 'ask',
      rule: 'default:redirect',
      reason: `It opens ${excerpt(target.text)}, and which file that is cannot be known.`,
    };
  }
  const path = target.isAtHome ? target.text.replace(/^~/, () => grounds.homeDirectory) : target.text;
  const decision = strictest(
    starts.map((start) => judgeAccess({ kind, path: reached(start, path, grounds) }, as, grounds)),
  );
  return kind === 'read' && decision.kind === 'allow' ? { ...decision, readsOnly: true } : decision;
}

const NO_FILE = /^\/dev\/(?:null|zero|stdin|stdout|stderr|fd\/\d{1,3})$/;

/** Where the line may be when it opens a file. */
function directoriesOf(
  { directories: moves }: LineReading & { kind: 'read' },
  cwd: string,
  grounds: Grounds,
): readonly string[] | undefined {
  if (moves === undefined) return undefined;
  let places = [cwd];
  for (const { text, isAtHome } of moves) {
    const target = isAtHome ? text.replace(/^~/, () => grounds.homeDirectory) : text;
    // The shell goes back from a link, unless it is told -P.
    const next = places.flatMap((place) => [resolve(place, target), reached(place, target, grounds)]);
    places = [...new Set([...places, ...next])];
  }
  return places;
}

/** “Nothing runs unasked” where nothing confines it, and nothing at all where the user wants it so. */
function confined(decision: Decision, action: Action, { settings, isConfined }: PolicyOptions): Decision {
  if (action.command === undefined || decision.kind === 'deny') return decision;
  if (settings.sandbox === 'required' && !isConfined) {
    return deny(
      'sandbox:required',
      'tools.sandbox is “required”, and nothing here can confine programs. "ollm doctor" says what is missing.',
    );
  }
  if (decision.kind === 'ask' || (isConfined && settings.sandbox !== 'off')) return decision;
  return {
    kind: 'ask',
    rule: 'sandbox:none',
    reason: `${decision.rule} would let it run, but nothing would confine it.`,
  };
}
