// The skills of other programs, read from their places.
import { routesOf } from './route.ts';
import { listOf, object, options, path, shape, text } from './schema.ts';

const route = routesOf('Skills');

const workspacePath = path('The directory in which the programs would be started. Default: that of the server.');

export const SKILL_ROUTES = [
  route('listSkillsOf', 'GET /api/llm/providers/{provider}/skills', {
    does: 'The skills that Claude Code, Codex, Cursor or Gemini CLI finds in a directory.',
    query: options({ workspacePath }),
    answer: object({
      provider: text(),
      skills: listOf(shape('Skill')),
      problems: listOf(shape('SkillProblem')),
    }),
    errors: ['WORKSPACE_NOT_ALLOWED'],
  }),
  route('listSkills', 'GET /api/llm/skills', {
    does: 'The same of all four, or of one.',
    query: options({
      provider: { type: 'string', maxLength: 32, description: 'Only skills of this program.' },
      workspacePath,
    }),
    answer: object({
      providers: {
        type: 'object',
        description: 'The skills of each program, by its name.',
        additionalProperties: listOf(shape('Skill')),
      },
      problems: listOf(shape('SkillProblem')),
    }),
    errors: ['UNSUPPORTED_PROVIDER', 'WORKSPACE_NOT_ALLOWED'],
  }),
] as const;
