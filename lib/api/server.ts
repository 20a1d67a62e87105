// The server itself: login, health, and its addresses.
import { routesOf } from './route.ts';
import { flag, object, optional, strictObject, text } from './schema.ts';

const route = routesOf('Server');

export const SERVER_ROUTES = [
  route('enter', 'POST /api/auth/code', {
    does: 'Exchange the code of a link, once, for the cookie of a browser; or the token of a guest for the cookie of one.',
    body: strictObject({ code: { type: 'string', minLength: 1, maxLength: 200 } }),
    maxBodyBytes: 1024,
    answer: object({
      entered: { const: true },
      guestOf: optional(text('The session that a guest reads. Absent: all of them.')),
      takesPart: optional(flag('Whether the guest may take turns.')),
    }),
    errors: ['CODE_INVALID', 'UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE'],
    open: true,
  }),
  route('makeCode', 'POST /api/auth/codes', {
    does: 'Make a code for a link, which works once and for five minutes: `ollm open` does.',
    answer: object({
      code: text(),
      path: text('`/join#CODE`.'),
      link: text('The whole address that a browser opens, by the name that browsers use.'),
    }),
    status: 201,
    errors: ['TOKEN_REQUIRED'],
  }),
  route('health', 'GET /health', {
    does: 'Say that the server answers, which version it is, and which instance.',
    answer: object({
      status: { enum: ['ok', 'stopping'] },
      version: text(),
      instance: text('Another one after each start.'),
      startedAt: text('RFC 3339.'),
      catalog: object({
        isSyncing: flag('Whether the server brings the catalogue up to date, as after its start.'),
        sessions: { type: 'integer', description: 'Sessions that the last sync found; 0 before the first.' },
        left: { type: 'integer', description: 'Those of them that it has not read yet.' },
      }),
    }),
  }),
  route('openapi', 'GET /openapi.json', {
    does: 'Describe every route as OpenAPI 3.1.',
    answer: { type: 'object' },
    bare: true,
  }),
  route('metrics', 'GET /metrics', { does: 'Figures for Prometheus.', answer: 'text/plain' }),
] as const;
