// The skills of other programs: what each of them would find in a workspace, read from its places and never written.
// An odd skill costs only itself.
import { basename, dirname, resolve } from 'node:path';
import { isCredentialName } from '../../discovery/credential-names.ts';
import { systemErrorCode } from '../../errors/index.ts';
import { isInside } from '../../platform/files/inside.ts';
import { readFile, realPathOf } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { readFrontMatter } from '../project/front-matter.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import {
  type AgentSkill,
  SKILL_AGENTS,
  type SkillAgent,
  type SkillDirectory,
  type SkillProblem,
} from './agent-skill.ts';
import { type FoundSkillFile, findSkillFiles } from './find-skill-files.ts';
import { looseFrontMatter } from './loose-front-matter.ts';
import { skillDirectories } from './skill-directories.ts';

export interface ListAgentSkillsRequest {
  /** Default: all of them. */
  readonly agents?: readonly SkillAgent[] | undefined;
  /** Where the programs would be started. Default: the current directory. */
  readonly workspace?: string | undefined;
}

export interface ListedSkills {
  readonly skills: readonly AgentSkill[];
  readonly problems: readonly SkillProblem[];
}

/** How a program finds and calls its skills. */
interface Habits {
  readonly depth: number;
  readonly withTop: boolean;
  /** Whether several skills may have one name. */
  readonly keepsSameNames: boolean;
  /** Which of the two names a skill has: the one that its front matter gives, or that of its directory. */
  readonly namedBy: 'front matter' | 'directory';
  /** What must be in the front matter. */
  readonly needs: readonly ('name' | 'description')[];
  /** Characters. A longer name is an error for the program. */
  readonly longestName: number;
  invocation(name: string): string;
}

const LONGEST_NAME = 200;

const USUAL: Habits = {
  ...{ depth: 1, withTop: false, keepsSameNames: false, namedBy: 'front matter', needs: [], longestName: LONGEST_NAME },
  invocation: (name) => `/${name}`,
};

const HABITS: Readonly<Record<SkillAgent, Habits>> = {
  claude: { ...USUAL, namedBy: 'directory' },
  codex: {
    ...{ ...USUAL, depth: 6, withTop: true, keepsSameNames: true, needs: ['description'], longestName: 64 },
    invocation: (name) => `$${name}`,
  },
  cursor: USUAL,
  gemini: {
    ...{ ...USUAL, withTop: true, needs: ['name', 'description'] },
    invocation: (name) => `/${name.trim().replace(/\s+/g, '-')}`,
  },
};

const MAX_FILE_BYTES = 1024 * 1024;
/** As much of a SKILL.md is read: its front matter is at the beginning. */
const MAX_READ_BYTES = 64 * 1024;
const LONGEST_DESCRIPTION = 1024;
const MOST_SKILLS = 1_000;
/** What does not print, or turns a line round. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/**
 * Sorted as each program looks: of two with one name the first is listed, except for Codex, which keeps both.
 *
 * @example
 * const { skills } = await listAgentSkills(app, { agents: ['codex'] });
 */
export async function listAgentSkills(app: App, request: ListAgentSkillsRequest = {}): Promise<ListedSkills> {
  const { agents = SKILL_AGENTS } = request;
  const workspace = resolve(app.cwd, request.workspace ?? '.');
  const { surroundings } = foreignPorts(app);
  const redact = await app.redactor();
  const skills: AgentSkill[] = [];
  const problems: SkillProblem[] = [];
  for (const provider of agents) {
    const reader = { provider, skills: [] as AgentSkill[], problems, byPath: new Set<string>() };
    for (const directory of skillDirectories(provider, { workspace, surroundings, fileSystem: app.fileSystem })) {
      await readDirectory(app, directory, reader);
    }
    skills.push(
      ...reader.skills.map((skill) =>
        skill.description === undefined ? skill : { ...skill, description: redact(skill.description).text },
      ),
    );
  }
  return { skills, problems };
}

interface Reader {
  readonly provider: SkillAgent;
  readonly skills: AgentSkill[];
  readonly problems: SkillProblem[];
  /** Real paths: two places may be one directory. */
  readonly byPath: Set<string>;
}

async function readDirectory(app: App, directory: SkillDirectory, reader: Reader): Promise<void> {
  const { provider, skills, problems, byPath } = reader;
  const habits = HABITS[provider];
  const withTop = habits.withTop || directory.plugin !== undefined;
  const found = findSkillFiles(app.fileSystem, directory, { depth: habits.depth, withTop });
  problems.push(...found.problems.map((problem) => ({ provider, ...problem })));
  for (const file of found.files) {
    const real = realPathOf(app.fileSystem, file.path);
    if (real !== undefined && byPath.has(real)) continue;
    if (skills.length >= MOST_SKILLS) {
      problems.push({
        provider,
        path: directory.path,
        reason: `holds more than the ${MOST_SKILLS} skills that are read`,
      });
      return;
    }
    if (real !== undefined) byPath.add(real);
    const read = await readSkill(app, file, directory, provider);
    const skill = 'reason' in read ? undefined : read;
    const other = habits.keepsSameNames ? undefined : skills.find(({ invocation }) => invocation === skill?.invocation);
    if (skill !== undefined && other === undefined) skills.push(skill);
    else {
      const reason = 'reason' in read ? read.reason : `is not used: ${other?.filePath} has the same name`;
      problems.push({ provider, path: file.path, reason });
    }
  }
}

async function readSkill(
  app: App,
  file: FoundSkillFile,
  directory: SkillDirectory,
  provider: SkillAgent,
): Promise<AgentSkill | { readonly reason: string }> {
  const habits = HABITS[provider];
  const text = readBeginning(app, file.path, directory.within);
  if (typeof text !== 'string') return text;
  const { texts, problems } = await readFrontMatter(text, ['name', 'description']);
  // The programs read on where YAML ends: a description often has a colon.
  const loose = problems.length > 0 ? looseFrontMatter(text) : undefined;
  const textOf = (key: string) => oneLine(texts.get(key) ?? loose?.get(key));
  const [named, description] = [textOf('name'), textOf('description')];
  const missing = habits.needs.find((key) => (key === 'name' ? named : description) === undefined);
  if (missing !== undefined) return { reason: `has no ${missing} in its front matter, which the program asks for` };
  const ownName = nameOf(file, named, directory, habits);
  const name = provider === 'gemini' ? ownName.replace(/[:\\/<>*?"|]/g, '-') : ownName;
  if (name === '' || name.length > habits.longestName || UNPRINTABLE.test(name))
    return { reason: 'has a name that is empty, too long, or does not print' };
  return {
    provider,
    scope: directory.scope,
    name,
    ...(description !== undefined && { description: description.slice(0, LONGEST_DESCRIPTION).toWellFormed() }),
    invocation: habits.invocation(name),
    filePath: file.path,
    ...(directory.plugin && { pluginName: directory.plugin.name }),
  };
}

function nameOf(
  { folder, isTop, path }: FoundSkillFile,
  named: string | undefined,
  { plugin }: SkillDirectory,
  { namedBy }: Habits,
): string {
  if (plugin !== undefined) {
    const own = isTop ? (named ?? basename(dirname(path))) : folder;
    return `${plugin.name}:${own.replace(/[^a-zA-Z0-9_-]/g, '-')}`;
  }
  return namedBy === 'directory' ? folder : (named ?? folder);
}

/** The beginning of a regular file; of a project, only of one that is in it. */
function readBeginning(
  { fileSystem }: App,
  path: string,
  within: string | undefined,
): string | { readonly reason: string } {
  try {
    const real = realPathOf(fileSystem, path);
    if (real === undefined) return { reason: 'is a link that leads nowhere' };
    if (within !== undefined && !isInside(realPathOf(fileSystem, within) ?? within, real))
      return { reason: `is a link that leads out of ${within}` };
    if (isCredentialName(basename(real))) return { reason: 'may hold keys, by its name' };
    const stat = fileSystem.stat(real);
    if (stat?.kind !== 'file') return { reason: 'is not a regular file' };
    if (stat.size > MAX_FILE_BYTES) return { reason: `is longer than ${MAX_FILE_BYTES / 1024} KiB` };
    const text = new TextDecoder().decode(readFile(fileSystem, real, { maxBytes: MAX_READ_BYTES }));
    return text.includes('\0') ? { reason: 'is not text' } : text;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return { reason: `cannot be read (${code})` };
  }
}

function oneLine(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/gu, ' ').trim();
  return line === '' ? undefined : line;
}
