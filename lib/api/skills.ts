// The skills of other programs, read from their places.
import { route } from './route.ts';
import { listOf, PATH_PATTERN, shape } from './schema.ts';

const group = 'Skills';

const workspacePath = {
  type: 'string',
  maxLength: 4096,
  pattern: PATH_PATTERN,
  description: 'The directory in which the programs would be started. Default: that of the server.',
} as const;

export const SKILL_ROUTES = [
  route({
    name: 'listSkillsOf',
    method: 'GET',
    path: '/api/llm/providers/{provider}/skills',
    group,
    does: 'The skills that Claude Code, Codex, Cursor or Gemini CLI finds in a directory.',
    query: { type: 'object', additionalProperties: false, properties: { workspacePath } },
    answer: {
      type: 'object',
      required: ['provider', 'skills', 'problems'],
      properties: {
        provider: { type: 'string' },
        skills: listOf(shape('Skill')),
        problems: listOf(shape('SkillProblem')),
      },
    },
    errors: ['INVALID_PARAMETER', 'UNSUPPORTED_PROVIDER', 'WORKSPACE_NOT_ALLOWED'],
  }),
  route({
    name: 'listSkills',
    method: 'GET',
    path: '/api/llm/skills',
    group,
    does: 'The same of all four, or of one.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        provider: { type: 'string', maxLength: 32, description: 'Only skills of this program.' },
        workspacePath,
      },
    },
    answer: {
      type: 'object',
      required: ['providers', 'problems'],
      properties: {
        providers: {
          type: 'object',
          description: 'The skills of each program, by its name.',
          additionalProperties: listOf(shape('Skill')),
        },
        problems: listOf(shape('SkillProblem')),
      },
    },
    errors: ['UNSUPPORTED_PROVIDER', 'WORKSPACE_NOT_ALLOWED'],
  }),
] as const;
