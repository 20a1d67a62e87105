// Sessions of every program: lists, one row, and what was said, in pages.
import { route } from './route.ts';
import { PATH_PATTERN, shape } from './schema.ts';

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
          pattern: PATH_PATTERN,
          description: 'Only sessions of this directory, absolute, and below.',
        },
        since: { type: 'string', maxLength: 40, description: 'Only what is not older: RFC 3339.' },
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
        hidden: { type: 'boolean', default: false, description: 'Hidden ones too.' },
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
  route({
    name: 'getDetails',
    method: 'GET',
    path: '/api/llm/sessions/{id}/details',
    group,
    does: 'All that is known of a session, as `ollm show --json` prints it.',
    answer: { type: 'object' },
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'getState',
    method: 'GET',
    path: '/api/llm/sessions/{id}/state',
    group,
    does: 'States of a session, now or after any event of its past.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        state: { enum: ['session', 'view', 'budget', 'loop', 'context', 'summary'], default: 'view' },
        at: { type: 'integer', minimum: 0, maximum: 1_000_000_000_000, description: 'The last event that counts.' },
      },
    },
    answer: shape('States'),
    errors: ['INVALID_PARAMETER', 'INVALID_QUERY', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'getRequests',
    method: 'GET',
    path: '/api/llm/sessions/{id}/cost',
    group,
    does: 'What each request of a session used and cost.',
    answer: shape('Requests'),
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'getAudit',
    method: 'GET',
    path: '/api/llm/sessions/{id}/audit',
    group,
    does: 'Every call of a tool, who allowed it, where it ran, and what is not as it should be.',
    answer: {
      type: 'object',
      required: ['id', 'calls', 'damaged'],
      properties: {
        id: { type: 'string' },
        calls: { type: 'array', items: { type: 'object' } },
        damaged: { type: 'integer' },
      },
    },
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'exportSession',
    method: 'GET',
    path: '/api/llm/sessions/{id}/export',
    group,
    does: 'The session as Markdown, HTML, JSON or JSON lines, as a stream.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        format: { enum: ['md', 'html', 'json', 'jsonl'], default: 'md' },
        from: { type: 'integer', minimum: 0, maximum: 1_000_000_000_000 },
        to: { type: 'integer', minimum: 0, maximum: 1_000_000_000_000 },
        redact: { type: 'boolean', default: false, description: 'Replaces everything that looks like a secret.' },
      },
    },
    answer: 'application/octet-stream',
    errors: ['INVALID_PARAMETER', 'INVALID_QUERY', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'deleteSession',
    method: 'DELETE',
    path: '/api/llm/sessions/{id}',
    group,
    does: 'Move a session of ours to the trash, or hide one of another program. Both can be taken back.',
    answer: shape('Outcome'),
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'restoreSession',
    method: 'POST',
    path: '/api/llm/sessions/{id}/restore',
    group,
    does: 'Take that back.',
    answer: shape('Outcome'),
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'syncSessions',
    method: 'POST',
    path: '/api/llm/sessions/sync',
    group,
    does: 'Bring what is new into the catalogue, so that it can be searched: all of it, or one file.',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { path: { type: 'string', minLength: 1, maxLength: 4096, pattern: PATH_PATTERN } },
    },
    answer: shape('Synced'),
    errors: ['INVALID_REQUEST_BODY', 'SESSION_NOT_FOUND'],
  }),
] as const;
