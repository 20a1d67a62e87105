// What happens in sessions, as it happens.
import { route } from './route.ts';

const group = 'Events';

export const MOST_FOLLOWED_SESSIONS = 32;

export const EVENT_ROUTES = [
  route({
    name: 'followSession',
    method: 'GET',
    path: '/api/llm/sessions/{id}/events',
    group,
    does: 'Server-sent events of a session: stored ones with their number as `id`, and signals. `Last-Event-ID` continues after it.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        from: {
          type: 'integer',
          minimum: 0,
          maximum: 1_000_000_000_000,
          description:
            'The first event that is sent. Without it, and without `Last-Event-ID`: only events from now on.',
        },
      },
    },
    answer: 'text/event-stream',
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
    guests: 'all',
  }),
  route({
    name: 'followSessions',
    method: 'GET',
    path: '/api/llm/events',
    group,
    does: 'The same of several sessions on one connection.',
    query: {
      type: 'object',
      additionalProperties: false,
      required: ['sessions'],
      properties: {
        sessions: {
          type: 'string',
          minLength: 1,
          maxLength: 8192,
          description: 'Their ids or addresses with commas between them: at most 32.',
        },
      },
    },
    answer: 'text/event-stream',
    errors: ['SESSION_NOT_FOUND'],
  }),
  route({
    name: 'followList',
    method: 'GET',
    path: '/api/llm/session-changes',
    group,
    does: 'The newest sessions and how many there are, as they change: a first event `sessions` with all, then what changed.',
    answer: 'text/event-stream',
    errors: [],
  }),
] as const;
