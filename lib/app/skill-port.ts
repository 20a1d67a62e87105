// The skills for the tool `skill_read`: those that the user trusts, read again for each call.
import { dirname } from 'node:path';
import { isOllmError } from '../errors/index.ts';
import type { SkillPort } from '../tools/builtin/skill-read.ts';
import { ToolFailure } from '../tools/tool.ts';
import type { App } from './app.ts';
import type { Conversation } from './conversation.ts';
import { skillFiles } from './project/skill-files.ts';

/** Undefined where there are none. */
export function skillPort(app: App, conversation: Conversation): SkillPort | undefined {
  if (skillFiles(app).files.length === 0) return undefined;
  return {
    async trusted() {
      const { readSkills } = await import('./project/skills.ts');
      const { skills } = await readSkills(app);
      return skills
        .filter(({ trusted }) => trusted === true)
        .map(({ name, path, text }) => ({ name, text, directory: dirname(path) }));
    },
    async instruct(skill) {
      const { addSkill } = await import('./sessions/offered-skills.ts');
      try {
        await addSkill(app, conversation, skill);
      } catch (error) {
        if (isOllmError(error, 'USAGE') || isOllmError(error, 'CONTEXT_TOO_SMALL')) throw new ToolFailure(error.message);
        throw error;
      }
    },
  };
}
