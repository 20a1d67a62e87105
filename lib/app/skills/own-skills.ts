// The skills of the user and the project: instructions for certain work, which a model is offered by name and reads
// when it needs them. Those of a project only where the user trusts their text.
import type { App } from '../app.ts';
import { readFrontMatter } from '../project/front-matter.ts';
import { pathInProject, type SkillFile, skillFiles } from './own-skill-files.ts';
import { projectSkills } from './project-skills.ts';

export interface Skill extends SkillFile {
  /** The one of its front matter, else its first line; one line. */
  readonly description: string;
  /** Undefined: the user was not asked about this text yet. One of the user's own is trusted. */
  readonly trusted: boolean | undefined;
}

export interface Skills {
  readonly skills: readonly Skill[];
  readonly problems: readonly string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;
const LONGEST_DESCRIPTION = 500;

/** The first of two with one name counts, and the user's come first. */
export async function readSkills(app: App): Promise<Skills> {
  const { files, problems: unread } = skillFiles(app);
  const ofProject = projectSkills(app);
  const problems = [...unread];
  const skills = new Map<string, Skill>();
  for (const file of files) {
    const { texts, body, problems: faults } = await readFrontMatter(file.text, ['name', 'description']);
    problems.push(...faults.map(({ line, words }) => `${file.path}:${line}: ${words}.`));
    const name = [texts.get('name'), file.name].find((each) => each !== undefined && NAME.test(each));
    const known = name === undefined ? undefined : skills.get(name);
    if (name === undefined) problems.push(`${file.path} is not used: its name must be letters, digits, -, _, . and :.`);
    else if (known !== undefined) problems.push(`${file.path} is not used: ${known.path} has the same name.`);
    else {
      const words = (texts.get('description') ?? body.split('\n', 1)[0]!).replace(/\s+/gu, ' ').trim();
      const description = words.slice(0, LONGEST_DESCRIPTION).toWellFormed();
      skills.set(name, { ...file, name, description, trusted: isTrustedSkill(app, file, ofProject) });
    }
  }
  return { skills: [...skills.values()], problems };
}

/** `ofProject`: the user's decisions on the skills of the project. Undefined: the user was not asked yet. */
export function isTrustedSkill(
  app: App,
  file: SkillFile,
  ofProject: ReturnType<typeof projectSkills>,
): boolean | undefined {
  if (file.place === 'user') return true;
  const path = pathInProject(app, file);
  // The text that was decided on, and not one that has come since.
  return ofProject.find((text) => text.path === path && text.content === file.text)?.trusted;
}
