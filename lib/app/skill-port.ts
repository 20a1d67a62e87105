// The skills for the tool `skill_read`: those that the user trusts, read again for each call.
import { dirname } from 'node:path';
import type { SkillPort } from '../tools/builtin/skill-read.ts';
import type { App } from './app.ts';
import { skillFiles } from './project/skill-files.ts';

/** Undefined where there are none. */
export function skillPort(app: App): SkillPort | undefined {
  if (skillFiles(app).files.length === 0) return undefined;
  return {
    async trusted() {
      const { readSkills } = await import('./project/skills.ts');
      const { skills } = await readSkills(app);
      return skills
        .filter(({ trusted }) => trusted === true)
        .map(({ name, path, text }) => ({ name, text, directory: dirname(path) }));
    },
  };
}
