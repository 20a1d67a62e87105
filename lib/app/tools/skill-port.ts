// The skills for the tool `skill_read`: those that the user trusts and no rule closes, read again for each call.
import { isOllmError } from '../../errors/index.ts';
import type { SkillPort } from '../../tools/builtin/skill-read.ts';
import type { Policy } from '../../tools/decision.ts';
import { ToolFailure } from '../../tools/tool.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { skillFiles } from '../skills/own-skill-files.ts';

/** Undefined where there are none. */
export function skillPort(app: App, conversation: Conversation, policy: Policy): SkillPort | undefined {
  if (skillFiles(app).files.length === 0) return undefined;
  return {
    async trusted() {
      const { usableSkills } = await import('../policy/usable-skills.ts');
      const skills = await usableSkills(app, policy);
      return skills.map(({ name, text, realPath, directory }) => ({ name, text, path: realPath, directory }));
    },
    async instruct(skill) {
      const { addSkill } = await import('../context/offered-skills.ts');
      try {
        await addSkill(app, conversation, skill);
      } catch (error) {
        if (isOllmError(error, 'USAGE') || isOllmError(error, 'CONTEXT_TOO_SMALL'))
          throw new ToolFailure(error.message);
        throw error;
      }
    },
  };
}
