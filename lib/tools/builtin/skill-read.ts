// Lets a model read a skill that it was offered by name.
import { type Tool, ToolFailure } from '../tool.ts';

export interface ReadableSkill {
  readonly name: string;
  /** Its SKILL.md. */
  readonly text: string;
  /** Where its other files are. */
  readonly directory: string;
}

/** The skills that the user trusts. */
export interface SkillPort {
  trusted(): Promise<readonly ReadableSkill[]>;
}

export function skillReadTool(skills: SkillPort): Tool {
  return {
    name: 'skill_read',
    description: 'Reads one of the skills that the context lists: instructions for certain work.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1, maxLength: 100, description: 'The name in the list.' } },
      required: ['name'],
      additionalProperties: false,
      examples: [{ name: 'release-notes' }],
    },
    origin: 'builtin',
    async plan(args) {
      const { name } = args as { readonly name: string };
      const all = await skills.trusted();
      const skill = all.find((each) => each.name === name);
      if (skill === undefined) {
        const names = all.map((each) => each.name).join(', ');
        throw new ToolFailure(
          `There is no skill ${name}. ${names === '' ? 'There are none.' : `There are: ${names}.`}`,
        );
      }
      return {
        action: { tool: 'skill_read', summary: `Read the skill ${name}`, isReadOnly: true, accesses: [] },
        async run({ signal }) {
          signal.throwIfAborted();
          return { content: `The skill ${name}; files that it names are in ${skill.directory}.\n\n${skill.text}` };
        },
      };
    },
  };
}
