// Sessions of every program: lists, a single row, and messages in pages.
import { routesOf } from './route.ts';
import { eventNumber, flag, object, options, path, shape, strictObject, text } from './schema.ts';

const route = routesOf('Sessions');

const pageQuery = {
  from: {
    type: 'integer',
    description: 'seq of the first event. Counted from the end where it is negative: `-100` is the last hundred.',
    minimum: -1_000_000_000,
    maximum: 1_000_000_000_000,
    default: 0,
  },
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'The maximum number of events.' },
} as const;

/** Filters: the sessions that a list has, or that are counted. */
const FILTERS = {
  provider: {
    type: 'string',
    maxLength: 32,
    description: 'Only sessions of this program, such as `claude` or `ollm`.',
  },
  project: path('Only sessions of this directory, absolute, and below.'),
  since: { type: 'string', maxLength: 40, description: 'Nothing older than this time: RFC 3339.' },
  hidden: { type: 'boolean', default: false, description: 'Hidden ones too.' },
} as const;

export const SESSION_ROUTES = [
  route('listSessions', 'GET /api/llm/sessions', {
    does: 'List sessions of every program, the newest activity first.',
    query: options({
      ...FILTERS,
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      after: { type: 'string', maxLength: 400, description: '`next` of the page before.' },
      from: {
        type: 'integer',
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'How many come before the first one, instead of `after`.',
      },
      ofEach: { type: 'integer', minimum: 1, maximum: 1000, description: 'At most this many of each project.' },
      withoutProject: { type: 'boolean', default: false, description: 'Only sessions without a project.' },
    }),
    answer: shape('SessionPage'),
    errors: ['UNSUPPORTED_PROVIDER'],
  }),
  route('countSessions', 'GET /api/llm/session-counts', {
    does: 'How many sessions a list with the same filters has, by project, by program and by day.',
    query: options({
      ...FILTERS,
      zone: { type: 'string', maxLength: 64, description: 'The time zone of the days, such as Europe/Berlin.' },
    }),
    answer: shape('SessionCounts'),
    errors: ['UNSUPPORTED_PROVIDER'],
  }),
  route('getSession', 'GET /api/llm/sessions/{id}', {
    does: 'One row of that list.',
    answer: shape('Session'),
    guests: 'all',
  }),
  route('getHistory', 'GET /api/llm/sessions/{id}/history', {
    does: 'A page of the events of a session, and the same as messages.',
    query: options({
      ...pageQuery,
      messages: { type: 'boolean', default: true, description: '`false` leaves the messages out.' },
    }),
    answer: shape('History'),
    guests: 'all',
  }),
  route('getMessages', 'GET /api/llm/sessions/{id}/messages', {
    does: 'A page of a session as messages.',
    query: options(pageQuery),
    answer: shape('Messages'),
    guests: 'all',
  }),
  route('getDetails', 'GET /api/llm/sessions/{id}/details', {
    does: 'All that is known of a session, as `ollm show --json` prints it.',
    answer: { type: 'object' },
  }),
  route('getState', 'GET /api/llm/sessions/{id}/state', {
    does: 'States of a session, now or after any event of its past.',
    query: options({
      state: { enum: ['session', 'view', 'budget', 'loop', 'context', 'summary'], default: 'view' },
      at: eventNumber('The last event that counts.'),
    }),
    answer: shape('States'),
  }),
  route('getRequests', 'GET /api/llm/sessions/{id}/cost', {
    does: 'What each request of a session used and cost.',
    answer: shape('Requests'),
    guests: 'all',
  }),
  route('getAudit', 'GET /api/llm/sessions/{id}/audit', {
    does: 'Every call of a tool, who allowed it, where it ran, and irregularities.',
    answer: object({
      id: text(),
      calls: { type: 'array', items: { type: 'object' } },
      damaged: { type: 'integer' },
    }),
  }),
  route('exportSession', 'GET /api/llm/sessions/{id}/export', {
    does: 'The session as Markdown, HTML, JSON or JSON lines, or in a form of other programs, as a stream.',
    query: options({
      format: { enum: ['md', 'html', 'json', 'jsonl', 'otel', 'atif', 'asf'], default: 'md' },
      from: eventNumber(),
      to: eventNumber(),
      redact: { type: 'boolean', default: false, description: 'Replaces everything that looks like a secret.' },
      contents: { type: 'boolean', default: false, description: 'With otel: texts, arguments and results too.' },
    }),
    answer: 'application/octet-stream',
    guests: 'all',
  }),
  route('deleteSession', 'DELETE /api/llm/sessions/{id}', {
    does: 'Move a session of ollm to the trash, or hide one of another program. Both can be undone.',
    answer: shape('Outcome'),
    writes: true,
    errors: ['SESSION_BUSY', 'SESSION_EXISTS'],
  }),
  route('restoreSession', 'POST /api/llm/sessions/{id}/restore', {
    does: 'Take that back.',
    answer: shape('Outcome'),
    writes: true,
    errors: ['TRASH_NOT_FOUND', 'SESSION_EXISTS'],
  }),
  route('unlockSession', 'POST /api/llm/sessions/{id}/unlock', {
    does: 'Open an encrypted session by its passphrase, which is not kept. Its key stays in memory until it is locked, or for 15 minutes without use.',
    body: strictObject({ passphrase: { type: 'string', minLength: 1, maxLength: 1000 } }),
    maxBodyBytes: 8192,
    answer: shape('LockOutcome'),
    errors: ['SESSION_ENCRYPTED', 'KEY_WRONG', 'KEY_UNUSABLE', 'BUSY'],
  }),
  route('lockSession', 'POST /api/llm/sessions/{id}/lock', {
    does: 'Forget the key of an encrypted session, and of those that the same passphrase opened with it.',
    answer: shape('LockOutcome'),
    errors: ['SESSION_BUSY'],
  }),
  route('shareSession', 'POST /api/llm/sessions/{id}/share', {
    does: 'A link by which a guest reads the session as it is and as it goes on. No route shows it again.',
    body: options({
      days: { type: 'integer', minimum: 1, maximum: 90, default: 7, description: 'How long the link is valid.' },
    }),
    answer: object({
      name: text('What `unshareSession` takes.'),
      sessionId: text(),
      expiresAt: { type: 'string', format: 'date-time' },
      path: text('The link, without the address of the server.'),
    }),
    status: 201,
  }),
  route('unshareSession', 'DELETE /api/llm/sessions/{id}/share/{linkName}', {
    does: 'End a link for guests at once.',
    answer: object({
      name: text(),
      revoked: flag('Whether such a link was valid.'),
    }),
  }),
  route('syncSessions', 'POST /api/llm/sessions/sync', {
    does: 'Index new messages in the catalogue, so that they can be searched: of all sessions, or of one file.',
    body: options({ path: { ...path(), minLength: 1 } }),
    answer: shape('Synced'),
    errors: ['SESSION_NOT_FOUND'],
  }),
] as const;
