// Where skills are: a directory for each with a SKILL.md, in the places of ollm and of the agents, of the user and of
// the project. Of those of a project nothing says yet that they may be used.
import { join, relative } from 'node:path';
import { isOllmError } from '../../errors/index.ts';
import { namesIn } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from '../home-directory.ts';
import { readMarkdownFile } from './markdown-file.ts';

export interface SkillFile {
  readonly place: 'user' | 'project';
  readonly path: string;
  /** Of the directory. */
  readonly name: string;
  readonly text: string;
}

export interface SkillFiles {
  readonly files: readonly SkillFile[];
  /** What was wrong, one sentence each. Names of files are as they are on the disk. */
  readonly problems: readonly string[];
}

const AGENTS = ['.claude', '.codex', '.gemini', '.agents', '.cursor'];
const MOST_SKILLS = 100;

/** Those of the user first. Read again each time; a place that is not there, or cannot be read, has none. */
export function skillFiles(app: App): SkillFiles {
  const { home, project } = app.paths;
  const own = userDirectory(app);
  const ofUser = [join(home, 'skills'), ...(own === undefined ? [] : placesIn(own, AGENTS))];
  const ofProject = placesIn(project, ['.ollm', ...AGENTS]).filter((folder) => !ofUser.includes(folder));
  const files: SkillFile[] = [];
  const problems: string[] = [];
  const read = (folder: string, place: SkillFile['place']) => {
    for (const name of namesIn(app.fileSystem, folder).toSorted()) {
      const path = join(folder, name, 'SKILL.md');
      const file = readMarkdownFile(app, path, place === 'project' ? project : undefined);
      if (file?.text !== undefined) files.push({ place, path, name, text: file.text });
      else if (file !== undefined) problems.push(`${path} ${file.problem}: it is not used.`);
    }
  };
  for (const folder of ofUser) read(folder, 'user');
  for (const folder of ofProject) read(folder, 'project');
  if (files.length > MOST_SKILLS) problems.push(`Of ${files.length} skills the first ${MOST_SKILLS} are used.`);
  return { files: files.slice(0, MOST_SKILLS), problems };
}

/** As the user is asked about it. */
export function pathInProject({ paths }: App, { path }: Pick<SkillFile, 'path'>): string {
  return relative(paths.project, path);
}

function placesIn(directory: string, folders: readonly string[]): readonly string[] {
  return folders.map((folder) => join(directory, folder, 'skills'));
}

/** Undefined where the system knows none: then there are no skills in it. */
function userDirectory(app: App): string | undefined {
  try {
    return homeDirectoryOf(app);
  } catch (error) {
    if (!isOllmError(error)) throw error;
    return undefined;
  }
}
