// The server itself: login, health, and its addresses.

import { routesOf } from './route.ts';
import { object, optional, strictObject } from './schema.ts';

const route = routesOf('Server');

export const SERVER_ROUTES = [
  route('enter', 'POST /api/auth/code', {
    does: 'Exchange the code of a link, once, for the cookie of a browser; or the token of a guest for the cookie of one.',
    body: strictObject({ code: { type: 'string', minLength: 1, maxLength: 200 } }),
    maxBodyBytes: 1024,
    answer: object({
      entered: { const: true },
      guestOf: optional({ type: 'string', description: 'The session that a guest reads. Absent: all of them.' }),
      takesPart: optional({ type: 'boolean', description: 'Whether the guest may take turns.' }),
    }),
    errors: ['CODE_INVALID', 'UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE'],
    open: true,
  }),
  route('makeCode', 'POST /api/auth/codes', {
    does: 'Make a code for a link, which works once and for five minutes: `ollm open` does.',
    answer: object({
      code: { type: 'string' },
      path: { type: 'string', description: '`/join#CODE`.' },
      link: { type: 'string', description: 'The whole address that a browser opens, by the name that browsers use.' },
    }),
    status: 201,
    errors: ['TOKEN_REQUIRED'],
  }),
  route('health', 'GET /health', {
    does: 'Say that the server answers, which version it is, and which instance.',
    answer: object({
      status: { enum: ['ok', 'stopping'] },
      version: { type: 'string' },
      instance: { type: 'string', description: 'Another one after each start.' },
      startedAt: { type: 'string', description: 'RFC 3339.' },
      catalog: object({
        isSyncing: {
          type: 'boolean',
          description: 'Whether the server brings the catalogue up to date, as after its start.',
        },
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
