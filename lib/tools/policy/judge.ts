// Decides on the parts of a call: one access, one command. The order is the same for all of them: denied, dangerous or
// to be asked, allowed or granted, and then the default.
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { excerpt } from '../../display/excerpt.ts';
import type { Action, FileAccess } from '../action.ts';
import type { Decision } from '../decision.ts';
import { isReadingGit, wordsOfGit } from '../git-reading.ts';
import { baseName, type CommandWord, namesIn, type SimpleCommand, writeWords } from './command-words.ts';
import { dangerOf, deviceDanger, fromSubcommand } from './dangerous.ts';
import type { Grant } from './grants.ts';
import type { PolicyPlaces } from './places.ts';
import { filesReadBy } from './reading-programs.ts';
import { type RuleBook, ruleOfDenial, ruleOfGrant } from './rule-book.ts';
import {
  coversCommand,
  coversHost,
  coversPath,
  coversTool,
  MAX_RULE_LENGTH,
  type Reading,
  type Rule,
} from './rules.ts';

/** What a decision rests on. */
export interface Grounds {
  readonly rules: RuleBook;
  readonly grants: readonly Grant[];
  /** The user's “never” answers. */
  readonly denials: readonly Grant[];
  readonly places: PolicyPlaces;
  readonly homeDirectory: string;
  /** Follows the links of an absolute path as far as it exists. */
  readonly realPath: (path: string) => string;
  /** Why git in this directory may start what a repository names, or follow it out of the project, as a clause. */
  readonly gitRisk: (directory: string) => string | undefined;
}

interface Part {
  readonly covers: (rule: Rule, reading: Reading) => boolean;
  /** What no rule can allow. */
  readonly refusal?: Decision | undefined;
  readonly dangerous?: string | undefined;
  /** A sentence for the user. */
  readonly subject: string;
  /** The rule that “never” would deny. */
  readonly denial?: string | undefined;
  /** Where no rule says anything. */
  readonly otherwise: Decision;
}

/**
 * A file that is opened. By a tool, or by a shell, `via` which rules for files count just the same; those for all of
 * the shell count too.
 */
export function judgeAccess(
  access: FileAccess,
  { tool, via }: { readonly tool: string; readonly via?: string },
  grounds: Grounds,
): Decision {
  const { kind, path } = access;
  const relative = grounds.places.inProject(path);
  const shown = relative === undefined ? path : relative || '.';
  const subject = `It ${kind === 'read' ? 'reads' : 'writes'} ${shown}.`;
  return judge(
    {
      covers: (rule, reading) =>
        rule.pattern === undefined
          ? coversTool(rule, tool) || (via !== undefined && coversTool(rule, via))
          : coversTool(rule, tool) && coversPath(rule.pattern, { path, relative }, reading),
      refusal: refusalOf(access, { shown, isByShell: via !== undefined }, grounds.places),
      dangerous: kind === 'write' ? deviceDanger(path) : undefined,
      subject,
      denial: ruleForPath(tool, relative),
      otherwise:
        kind === 'read'
          ? allow(relative === undefined ? 'default:readable' : 'default:read-in-project')
          : ask('default:write', subject, grantForPath(tool, relative)),
    },
    grounds,
  );
}

interface Opened {
  readonly shown: string;
  /** A program's own places are not those of our tools. */
  readonly isByShell: boolean;
}

function refusalOf(access: FileAccess, opened: Opened, places: PolicyPlaces): Decision | undefined {
  const refusal = refusalByPlace(access, opened, places);
  const isOfSkill =
    refusal !== undefined && access.kind === 'read' && !opened.isByShell && places.isOfSkill(access.path);
  return isOfSkill ? undefined : refusal;
}

function refusalByPlace(
  { kind, path }: FileAccess,
  { shown, isByShell }: Opened,
  places: PolicyPlaces,
): Decision | undefined {
  if (places.isHidden(path)) {
    return deny('default:hidden', `${shown} may hold keys or other secrets, which no tool gets to see.`);
  }
  if (kind === 'write' && places.isProtected(path)) {
    return deny('default:protected', `${shown} decides what runs later, or what was recorded; no tool changes it.`);
  }
  if (kind === 'read' ? places.isReadable(path) : places.isWritable(path)) return undefined;
  if (isByShell && places.isOwn(path)) return undefined;
  const setting = kind === 'read' ? 'tools.readable' : 'tools.writable';
  return deny('default:outside', `${path} is outside the project. ${setting} in your config.yaml opens directories.`);
}

/** A program that is started, by whichever tool. `directories`: where it may run; undefined: unknown. */
export function judgeCommand(
  command: SimpleCommand,
  { tool, directories }: { readonly tool: string; readonly directories: readonly string[] | undefined },
  grounds: Grounds,
): Decision {
  const { altered, isOpen, words } = command;
  const written = writeWords(words);
  const shown = excerpt(written, 500);
  const subject = altered === undefined ? `It runs ${shown}.` : `It runs ${shown} and ${altered}.`;
  const isExact = altered === undefined && !isOpen && words.every((word) => word.isFixed && !word.isAtHome);
  const rule = isExact && isRuleSized(written) ? `bash(${written})` : undefined;
  const wide = [command, ...otherSpellings(command)];
  return judge(
    {
      covers: ({ pattern, ...rule }, reading) => {
        if (pattern === undefined) return coversTool(rule, tool);
        // A pattern for `bash` speaks of commands, whichever tool runs them.
        if (!coversTool(rule, tool) && !coversTool(rule, 'bash')) return false;
        return (reading === 'wide' ? wide : [command]).some((one) => coversCommand(pattern, one, reading));
      },
      refusal: refusalOfWords(words, directories, grounds),
      dangerous: dangerOf(command),
      subject,
      denial: rule,
      otherwise:
        harmless(command, { tool, directories }, grounds) ??
        ask('default:command', withGitRisk(subject, { words, directories }, grounds), rule),
    },
    grounds,
  );
}

/**
 * A host of the web that a call reads from. The address itself can carry data there, so the user decides on each host.
 */
export function judgeHost(
  { host, isNamedByUser = false }: NonNullable<Action['web']>,
  { tool }: { readonly tool: string },
  grounds: Grounds,
): Decision {
  const subject = `It reads from ${host}.`;
  const rule = `${tool}(${host})`;
  return judge(
    {
      covers: (each, reading) =>
        coversTool(each, tool) && (each.pattern === undefined || coversHost(each.pattern, host, reading)),
      subject,
      denial: rule,
      otherwise: isNamedByUser ? allow('default:named-by-you') : ask('default:web', subject, rule),
    },
    grounds,
  );
}

/** A tool of which nothing is known but its name, or that talks to another machine. */
export function judgeUnknown({ tool, isRemote, isReadOnly, delegates = false }: Action, grounds: Grounds): Decision {
  const subject = isRemote ? `${tool} is carried out by another program.` : `What ${tool} changes cannot be known.`;
  return judge(
    {
      // A pattern has nothing here to be held against.
      covers: (rule, reading) => coversTool(rule, tool) && (rule.pattern === undefined || reading === 'wide'),
      subject,
      denial: tool,
      otherwise:
        (isReadOnly || delegates) && !isRemote
          ? allow('default:no-effect')
          : ask(isRemote ? 'default:remote' : 'default:unknown', subject, tool),
    },
    grounds,
  );
}

function judge(part: Part, grounds: Grounds): Decision {
  const decision = judgeByRules(part, grounds);
  return decision.kind === 'ask' && part.denial !== undefined ? { ...decision, denial: part.denial } : decision;
}

/** The order in which rules count. */
function judgeByRules(
  { covers, refusal, dangerous, subject, otherwise }: Part,
  { rules, grants, denials }: Grounds,
): Decision {
  const denied = rules.deny.find((rule) => covers(rule, 'wide'));
  if (denied) return deny(`deny:${denied.source}`, `Your rule ${denied.source} forbids it.`);
  const never = denials.find((denial) => covers(ruleOfDenial(denial), 'wide'));
  if (never) return deny(`never:${never.number}`, `You answered “never” to ${never.rule}.`);
  if (refusal) return refusal;
  if (dangerous !== undefined) return { kind: 'ask', rule: 'default:dangerous', reason: subject, dangerous };
  const asked = rules.ask.find((rule) => covers(rule, 'wide'));
  if (asked) return ask(`ask:${asked.source}`, subject, undefined);
  const allowed = rules.allow.find((rule) => covers(rule, 'narrow'));
  // A rule can also decide on a part that by itself is only reading.
  const readsOnly = otherwise.kind === 'allow' ? ({ readsOnly: true } as const) : {};
  if (allowed) return { ...allow(`allow:${allowed.source}`), ...readsOnly };
  const granted = grants.find((grant) => {
    const rule = ruleOfGrant(grant);
    return rule !== undefined && covers(rule, 'narrow');
  });
  if (granted) return { kind: 'allow', by: 'grant', rule: `grant:${granted.number}`, ...readsOnly };
  return { ...otherwise, ...readsOnly };
}

/** Programs that run without a rule: those that only start others, those that change nothing, and git when it reads. */
function harmless(
  command: SimpleCommand,
  { tool, directories }: { readonly tool: string; readonly directories: readonly string[] | undefined },
  grounds: Grounds,
): Decision | undefined {
  const { words, altered, isOpen, isWrapper } = command;
  if (altered !== undefined) return undefined;
  if (isWrapper) return allow('default:wrapper');
  const [program, ...args] = words;
  if (program === undefined || !program.isFixed || directories === undefined) return undefined;
  const staysInside = (path: string) =>
    directories
      .flatMap((directory) => [grounds.realPath(resolve(directory, path)), reached(directory, path, grounds)])
      .every((place) => grounds.places.isReadable(place) && !grounds.places.isHidden(place));
  if (NO_EFFECT.has(program.text)) return allow('default:no-effect');
  if (program.text === 'cd') {
    const isInside =
      !isOpen &&
      args.length === 1 &&
      args.every(({ text, isFixed, isAtHome }) => isFixed && !isAtHome && staysInside(text));
    return isInside ? allow('default:cd-inside') : undefined;
  }
  if (isOpen || !words.every((word) => (word.isFixed && !word.isAtHome) || isPatternOfOption(word))) return undefined;
  const given = args.map(({ text }) => text);
  if (program.text !== 'git') {
    const files = filesReadBy([program.text, ...given]);
    return files?.every(staysInside) ? allow('default:reading') : undefined;
  }
  // A line of a shell may have changed the directory; the tool for git is in the one that it names.
  const isInPlace = (directory: string) =>
    tool === 'git' ? grounds.places.inProject(directory) !== undefined : grounds.places.inProject(directory) === '';
  const isReading =
    isReadingGit(given) &&
    directories.every((directory) => isInPlace(directory) && grounds.gitRisk(directory) === undefined) &&
    wordsOfGit(given).every(staysInside);
  return isReading ? allow('default:git-reading') : undefined;
}

/** The question for a git command that would only read, were it not for the repository's configuration. */
function withGitRisk(
  subject: string,
  {
    words,
    directories,
  }: { readonly words: readonly CommandWord[]; readonly directories: readonly string[] | undefined },
  grounds: Grounds,
): string {
  const [program, ...args] = words;
  if (program?.text !== 'git' || !isReadingGit(args.map(({ text }) => text))) return subject;
  const risk = directories?.map((directory) => grounds.gitRisk(directory)).find((one) => one !== undefined);
  return risk === undefined ? subject : `${subject} It is asked about because of the repository: ${risk}.`;
}

/** An option that a longer one begins with counts as that one too. */
function isPatternOfOption({ text }: CommandWord): boolean {
  return /^--(?:include|exclude|exclude-dir)=[\w.*?{},-]+$/.test(text);
}

/** Where the kernel gets to: `..` leads up from where a link led, not back from the link. */
export function reached(start: string, path: string, { realPath }: Pick<Grounds, 'realPath'>): string {
  let place = isAbsolute(path) ? '/' : realPath(start);
  for (const part of path.split('/')) place = part === '..' ? dirname(realPath(place)) : join(place, part);
  return realPath(place);
}

/** A shell does these itself, and they touch nothing. */
const NO_EFFECT: ReadonlySet<string> = new Set([':', 'true', 'false']);

/** Words that name what no tool sees, and what no tool changes where the program is one that does. */
function refusalOfWords(
  words: readonly CommandWord[],
  directories: readonly string[] | undefined,
  { places, realPath, homeDirectory }: Grounds,
): Decision | undefined {
  const isChanging = CHANGING.has(baseName(words[0]?.text ?? ''));
  for (const word of words.slice(1)) {
    if (!word.isFixed) continue;
    for (const text of pathsIn(word.text)) {
      const expanded = word.isAtHome || /^~(?:\/|$)/.test(text) ? text.replace(/^~/, () => homeDirectory) : text;
      for (const directory of directories ?? []) {
        const path = realPath(resolve(directory, expanded));
        if (places.isHidden(path))
          return deny('default:hidden', `${excerpt(text)} may hold keys or other secrets, which no tool gets to see.`);
        if (isChanging && places.isProtected(path))
          return deny(
            'default:protected',
            `${excerpt(text)} decides what runs later, or what was recorded; no tool changes it.`,
          );
      }
    }
  }
  return undefined;
}

/** `--file=x` names x, `@x` and `if=x` do too, and so does `HEAD:x`. */
function pathsIn(text: string): readonly string[] {
  if (text.length > 4096 || text.includes('\0')) return [];
  const split = text.indexOf('=');
  const colon = text.lastIndexOf(':');
  return [
    text,
    ...(split >= 0 ? [text.slice(split + 1)] : []),
    ...(colon >= 0 ? [text.slice(colon + 1)] : []),
    ...(text.startsWith('@') ? [text.slice(1)] : []),
  ].filter(Boolean);
}

const CHANGING = namesIn(`
  rm rmdir unlink shred truncate mv cp ln install tee touch mkdir chmod chown chgrp dd sed patch rsync
`);

/** The further form that deny and ask rules are matched against: git without its options before the subcommand. */
function otherSpellings(command: SimpleCommand): readonly SimpleCommand[] {
  const [program, ...args] = command.words;
  if (program === undefined || baseName(program.text) !== 'git') return [];
  const rest = fromSubcommand(args.map(({ text }) => text)).length;
  return rest === args.length ? [] : [{ ...command, words: [program, ...args.slice(args.length - rest)] }];
}

/** With its tool around it, and on one line: a grant is listed. */
function isRuleSized(pattern: string): boolean {
  return pattern.length < MAX_RULE_LENGTH - 100 && !/[\n\t]/.test(pattern);
}

/** This file only. */
function ruleForPath(tool: string, relative: string | undefined): string | undefined {
  return relative === undefined || !isPlainPath(relative) ? undefined : `${tool}(${relative})`;
}

/** A path that a rule can name: without special signs, on one line. */
function isPlainPath(relative: string): boolean {
  return relative !== '' && !/[*?()\n]|^\s|\s$/.test(relative);
}

/** The directory of a file with everything below it; for a file of the root itself, only that file. */
function grantForPath(tool: string, relative: string | undefined): string | undefined {
  if (relative === undefined || !isPlainPath(relative)) return undefined;
  const end = relative.lastIndexOf('/');
  return end < 0 ? `${tool}(${relative})` : `${tool}(${relative.slice(0, end)}/**)`;
}

function allow(rule: string): Decision {
  return { kind: 'allow', by: 'policy', rule };
}

function ask(rule: string, reason: string, grant: string | undefined): Decision {
  return { kind: 'ask', rule, reason, ...(grant === undefined ? {} : { grant }) };
}

export function deny(rule: string, reason: string): Decision {
  return { kind: 'deny', rule, reason };
}
