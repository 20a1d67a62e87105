// Over all sessions: what was said, and what it cost.
import { route } from './route.ts';
import { listOf, PATH_PATTERN, shape } from './schema.ts';

const group = 'Search and cost';

export const SEARCH_ROUTES = [
  route({
    name: 'search',
    method: 'GET',
    path: '/api/llm/search',
    group,
    does: 'Find messages, calls and outputs in all sessions, best first: all words, "a phrase", begin*, -not.',
    query: {
      type: 'object',
      additionalProperties: false,
      required: ['q'],
      properties: {
        q: { type: 'string', minLength: 1, maxLength: 1000 },
        provider: { type: 'string', maxLength: 32, description: 'Only sessions of this program.' },
        project: { type: 'string', maxLength: 4096, pattern: PATH_PATTERN },
        role: { enum: ['user', 'assistant', 'tool', 'system'] },
        since: { type: 'string', maxLength: 40, description: 'Only what is not older: RFC 3339.' },
        regex: { type: 'boolean', default: false },
        limit: { type: 'integer', minimum: 1, maximum: 200, default: 20 },
      },
    },
    answer: shape('Found'),
    errors: ['UNSUPPORTED_PROVIDER'],
  }),
  route({
    name: 'recall',
    method: 'GET',
    path: '/api/llm/recall',
    group,
    does: 'Passages of sessions and project files that answer a question, best first.',
    query: {
      type: 'object',
      additionalProperties: false,
      required: ['q'],
      properties: {
        q: { type: 'string', minLength: 1, maxLength: 1000 },
        project: {
          type: 'string',
          maxLength: 4096,
          pattern: PATH_PATTERN,
          description: 'Only files of this directory, and sessions in it or below.',
        },
        only: { enum: ['files', 'sessions'] },
        limit: { type: 'integer', minimum: 1, maximum: 50, default: 8 },
      },
    },
    answer: {
      type: 'object',
      required: ['passages', 'notes'],
      properties: { passages: listOf(shape('Passage')), notes: listOf({ type: 'string' }) },
    },
    errors: ['WORKSPACE_NOT_ALLOWED'],
  }),
  route({
    name: 'getCosts',
    method: 'GET',
    path: '/api/llm/cost',
    group,
    does: 'What sessions of all programs cost, by day and by model.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: { days: { type: 'integer', minimum: 1, maximum: 3660, default: 30 } },
    },
    answer: shape('Costs'),
    errors: [],
  }),
] as const;
