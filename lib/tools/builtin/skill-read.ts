// Lets a model read a skill that it was offered by name. The output of a tool never instructs, so the text of the skill
// goes into the context instead, as a text that the user trusts.
import { type Tool, ToolFailure } from '../tool.ts';
import { builtinTool } from './builtin-tool.ts';

interface ReadableSkill {
  readonly name: string;
  /** The path of its SKILL.md. */
  readonly text: string;
  /** The real path of its SKILL.md, with links resolved. */
  readonly path: string;
  /** Where its other files are. */
  readonly directory: string;
}

/** The skills that the user trusts, and that no rule closes. */
export interface SkillPort {
  trusted(): Promise<readonly ReadableSkill[]>;
  /** Puts its text into the context, where it instructs. @throws ToolFailure: why it cannot be there */
  instruct(skill: ReadableSkill): Promise<void>;
}

export function skillReadTool(skills: SkillPort): Tool {
  return builtinTool({
    name: 'skill_read',
    description:
      'Reads one of the skills that the context lists, instructions for certain work: its text comes into the context.',
    properties: { name: { type: 'string', minLength: 1, maxLength: 100, description: 'The name in the list.' } },
    required: ['name'],
    examples: [{ name: 'release-notes' }],
    async plan({ name }) {
      const all = await skills.trusted();
      const skill = all.find((each) => each.name === name);
      if (skill === undefined) {
        const names = all.map((each) => each.name).join(', ');
        throw new ToolFailure(
          `There is no skill ${name}. ${names === '' ? 'There are none.' : `There are: ${names}.`}`,
        );
      }
      return {
        action: {
          tool: 'skill_read',
          summary: `Read the skill ${name}`,
          isReadOnly: true,
          accesses: [{ kind: 'read', path: skill.path }],
        },
        async run({ signal }) {
          signal.throwIfAborted();
          await skills.instruct(skill);
          return { content: `“skill ${name}” is in the context now. Files that it names are in ${skill.directory}.` };
        },
      };
    },
  });
}
