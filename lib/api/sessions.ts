// Sessions of every program: lists, one row, and what was said, in pages.
import { route } from './route.ts';
import { shape } from './schema.ts';

const group = 'Sessions';

const pageQuery = {
  from: {
    type: 'integer',
    description: 'seq of the first event. Counted from the end where it is negative: `-100` is the last hundred.',
    minimum: -1_000_000_000,
    maximum: 1_000_000_000_000,
    default: 0,
  },
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'At most so many events.' },
} as const;

export const SESSION_ROUTES = [
  route({
    name: 'listSessions',
    method: 'GET',
    path: '/api/llm/sessions',
    group,
    does: 'List sessions of every program, the newest activity first.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        provider: {
          type: 'string',
          maxLength: 32,
          description: 'Only sessions of this program, such as `claude` or `ollm`.',
        },
        project: {
          type: 'string',
          maxLength: 4096,
          description: 'Only sessions of this directory, absolute, and below.',
        },
        since: { type: 'string', maxLength: 40, description: 'Only what is not older: RFC 3339.' },
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
        after: { type: 'string', maxLength: 400, description: '`next` of the page before.' },
      },
    },
    answer: shape('SessionPage'),
    errors: ['INVALID_QUERY', 'UNSUPPORTED_PROVIDER'],
  }),
  route({
    name: 'getSession',
    method: 'GET',
    path: '/api/llm/sessions/{id}',
    group,
    does: 'One row of that list.',
    answer: shape('Session'),
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'getHistory',
    method: 'GET',
    path: '/api/llm/sessions/{id}/history',
    group,
    does: 'A page of the events of a session, and the same as messages.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        messages: { type: 'boolean', default: true, description: '`false` leaves the messages out.' },
      },
    },
    answer: shape('History'),
    errors: ['INVALID_PARAMETER', 'INVALID_QUERY', 'SESSION_NOT_FOUND', 'SESSION_HISTORY_NOT_AVAILABLE'],
  }),
  route({
    name: 'getMessages',
    method: 'GET',
    path: '/api/llm/sessions/{id}/messages',
    group,
    does: 'A page of a session as messages.',
    query: { type: 'object', additionalProperties: false, properties: pageQuery },
    answer: shape('Messages'),
    errors: ['INVALID_PARAMETER', 'INVALID_QUERY', 'SESSION_NOT_FOUND', 'SESSION_HISTORY_NOT_AVAILABLE'],
  }),
] as const;
