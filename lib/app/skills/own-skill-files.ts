// Where skills are: a directory for each with a SKILL.md, in the places of ollm and of the agents, of the user and of
// the project. Of those of a project nothing says yet that they may be used.
import { join, relative } from 'node:path';
import { isOllmError, unless } from '../../errors/index.ts';
import { isInside } from '../../platform/files/inside.ts';
import { namesIn, realPathOf } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { readMarkdownFile } from '../project/markdown-file.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';

export interface SkillFile {
  readonly place: 'user' | 'project';
  readonly path: string;
  /** The name of its directory. */
  readonly name: string;
  readonly text: string;
}

interface SkillFiles {
  readonly files: readonly SkillFile[];
  /** The faults, one sentence each. Names of files are as they are on the disk. */
  readonly problems: readonly string[];
}

const AGENTS = ['.claude', '.codex', '.gemini', '.agents', '.cursor'];
const MOST_SKILLS = 100;

/**
 * The skills of the user come first. They are read again each time; a place that is not there, or cannot be read, has
 * none.
 */
export function skillFiles(app: App): SkillFiles {
  const { home, project } = app.paths;
  const which = app.config.skills;
  if (which === 'off') return { files: [], problems: [] };
  const agents = which === 'all' ? AGENTS : [];
  // Where the system knows no directory of the user, there are no skills in it.
  const own = which === 'all' ? unless(isOllmError, () => homeDirectoryOf(app)) : undefined;
  const ofUser = [join(home, 'skills'), ...(own === undefined ? [] : placesIn(own, agents))];
  const ofProject = placesIn(project, ['.ollm', ...agents]).filter((folder) => !ofUser.includes(folder));
  const files: SkillFile[] = [];
  const problems: string[] = [];
  const read = (folder: string, given: SkillFile['place'], base = project) => {
    for (const name of namesIn(app.fileSystem, folder).toSorted()) {
      const found = join(folder, name, 'SKILL.md');
      const inProject = given === 'user' ? linkedInto(app, found, base) : undefined;
      const path = inProject ?? found;
      const place = inProject === undefined ? given : 'project';
      if (files.some((each) => each.path === path)) continue;
      const file = readMarkdownFile(app, path, place === 'project' ? project : undefined);
      if (file?.text !== undefined) files.push({ place, path, name, text: file.text });
      else if (file !== undefined) problems.push(`${path} ${file.problem}: it is not used.`);
    }
  };
  read(join(home, 'skills'), 'user', home);
  if (own !== undefined) for (const folder of placesIn(own, agents)) read(folder, 'user', own);
  for (const folder of ofProject) read(folder, 'project');
  if (files.length > MOST_SKILLS) problems.push(`Of ${files.length} skills the first ${MOST_SKILLS} are used.`);
  return { files: files.slice(0, MOST_SKILLS), problems };
}

/**
 * The path in the project of a file there that a link of the user's leads to: it is the project's, wherever the link
 * is. Undefined elsewhere, and where the user's directory, `base`, is in the project itself.
 */
function linkedInto({ fileSystem, paths }: App, path: string, base: string): string | undefined {
  const [project, real, root] = [paths.project, path, base].map((each) => realPathOf(fileSystem, each));
  if (project === undefined || real === undefined || !isInside(project, real)) return undefined;
  return root !== undefined && isInside(project, root) ? undefined : join(paths.project, relative(project, real));
}

/** As the user is asked about it. */
export function pathInProject({ paths }: App, { path }: Pick<SkillFile, 'path'>): string {
  return relative(paths.project, path);
}

function placesIn(directory: string, folders: readonly string[]): readonly string[] {
  return folders.map((folder) => join(directory, folder, 'skills'));
}
