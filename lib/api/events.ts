// The events of sessions, as they happen.
import { MOST_ADDRESS_CHARACTERS } from './parameters.ts';
import { routesOf } from './route.ts';
import { eventNumber, options, strictObject } from './schema.ts';

const route = routesOf('Events');

export const MOST_FOLLOWED_SESSIONS = 32;

export const EVENT_ROUTES = [
  route('followSession', 'GET /api/llm/sessions/{id}/events', {
    does: 'Server-sent events of a session: stored ones with their number as `id`, and signals. `Last-Event-ID` continues after it.',
    query: options({
      from: eventNumber(
        'The first event that is sent. Without it, and without `Last-Event-ID`: only events from now on.',
      ),
    }),
    answer: 'text/event-stream',
    guests: 'all',
  }),
  route('followSessions', 'GET /api/llm/events', {
    does: 'The same of several sessions on one connection.',
    query: strictObject({
      sessions: {
        type: 'string',
        minLength: 1,
        maxLength: MOST_FOLLOWED_SESSIONS * (MOST_ADDRESS_CHARACTERS + 1) - 1,
        description: `Their ids or addresses with commas between them: at most ${MOST_FOLLOWED_SESSIONS}. A request has at most 32 KiB before its body: sessions with long names in other scripts than Latin may need several connections.`,
      },
    }),
    answer: 'text/event-stream',
    errors: ['SESSION_NOT_FOUND'],
  }),
  route('followList', 'GET /api/llm/session-changes', {
    does: 'The newest sessions and how many there are, as they change: a first event `sessions` with all, then what changed.',
    answer: 'text/event-stream',
  }),
] as const;
