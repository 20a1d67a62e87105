// Searches over all sessions, and their cost.
import { routesOf } from './route.ts';
import { listOf, object, optional, options, path, shape, strictObject, text } from './schema.ts';

const route = routesOf('Search and cost');

export const SEARCH_ROUTES = [
  route('search', 'GET /api/llm/search', {
    does:
      'Find sessions, messages, calls and outputs, best first: all words, "a phrase", begin*, -not; agent:, since:, ' +
      'project:, role:, tool:, path: and title: narrow it in the line.',
    query: strictObject({
      q: { type: 'string', minLength: 1, maxLength: 1000 },
      provider: optional({ type: 'string', maxLength: 32, description: 'Only sessions of this program.' }),
      project: optional(path()),
      role: optional({ enum: ['user', 'assistant', 'tool', 'system'] }),
      tool: optional({ type: 'string', maxLength: 200, description: 'Only calls of this tool, and their outputs.' }),
      path: optional({
        type: 'string',
        maxLength: 1000,
        description: 'Only sessions of which a call names this file.',
      }),
      title: optional({ type: 'string', maxLength: 1000, description: 'Only sessions whose title has these words.' }),
      since: optional({ type: 'string', maxLength: 40, description: 'Nothing older than this time: RFC 3339.' }),
      regex: optional({ type: 'boolean', default: false }),
      exact: optional({ type: 'boolean', default: false, description: 'Only hits with all of the words.' }),
      limit: optional({ type: 'integer', minimum: 1, maximum: 200, default: 20 }),
      counted: optional({ type: 'boolean', default: false, description: 'Count all hits, also those beyond `limit`.' }),
    }),
    answer: shape('Found'),
    errors: ['UNSUPPORTED_PROVIDER'],
  }),
  route('recall', 'GET /api/llm/recall', {
    does: 'Passages of sessions and project files that answer a question, best first.',
    query: strictObject({
      q: { type: 'string', minLength: 1, maxLength: 1000 },
      project: optional(path('Only files of this directory, and sessions in it or below.')),
      only: optional({ enum: ['files', 'sessions'] }),
      limit: optional({ type: 'integer', minimum: 1, maximum: 50, default: 8 }),
    }),
    answer: object({ passages: listOf(shape('Passage')), notes: listOf(text()) }),
    errors: ['WORKSPACE_NOT_ALLOWED'],
  }),
  route('getStats', 'GET /api/llm/stats', {
    does: 'Sessions, turns, tokens, cost, time and failures of all programs.',
    query: options({
      by: {
        type: 'string',
        pattern: '^(day|hour|project|agent|model|tool|session)(,(day|hour|project|agent|model|tool|session))?$',
        default: 'day',
        description: 'One or two of these names, with a comma between them.',
      },
      days: { type: 'integer', minimum: 1, maximum: 3660, default: 30 },
      day: {
        type: 'string',
        pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
        description: 'Only of this day of the time zone, instead of `days`, such as 2026-11-29.',
      },
      zone: { type: 'string', maxLength: 64, description: 'The time zone of the days, such as Europe/Berlin.' },
      limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'At most this many rows, the greatest.' },
      provider: { type: 'string', maxLength: 32, description: 'Only sessions of this program.' },
      project: path(),
    }),
    answer: shape('Stats'),
    errors: ['UNSUPPORTED_PROVIDER'],
  }),
] as const;
