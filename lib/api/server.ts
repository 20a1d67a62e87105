// The server itself: login, health, and its addresses.
import { route } from './route.ts';

export const SERVER_ROUTES = [
  route({
    name: 'enter',
    method: 'POST',
    path: '/api/auth/code',
    group: 'Server',
    does: 'Exchange the code of a link, once, for the cookie of a browser; or the token of a guest for the cookie of one.',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['code'],
      properties: { code: { type: 'string', minLength: 1, maxLength: 200 } },
    },
    maxBodyBytes: 1024,
    answer: {
      type: 'object',
      required: ['entered'],
      properties: {
        entered: { const: true },
        guestOf: { type: 'string', description: 'The session that a guest reads. Absent: all of them.' },
        takesPart: { type: 'boolean', description: 'Whether the guest may take turns.' },
      },
    },
    errors: ['CODE_INVALID', 'INVALID_REQUEST_BODY', 'UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE'],
    open: true,
  }),
  route({
    name: 'makeCode',
    method: 'POST',
    path: '/api/auth/codes',
    group: 'Server',
    does: 'Make a code for a link, which works once and for five minutes: `ollm open` does.',
    answer: {
      type: 'object',
      required: ['code', 'path', 'link'],
      properties: {
        code: { type: 'string' },
        path: { type: 'string', description: '`/join#CODE`.' },
        link: { type: 'string', description: 'The whole address that a browser opens, by the name that browsers use.' },
      },
    },
    status: 201,
    errors: ['TOKEN_REQUIRED'],
  }),
  route({
    name: 'health',
    method: 'GET',
    path: '/health',
    group: 'Server',
    does: 'Say that the server answers, which version it is, and which instance.',
    answer: {
      type: 'object',
      required: ['status', 'version', 'instance', 'startedAt', 'catalog'],
      properties: {
        status: { enum: ['ok', 'stopping'] },
        version: { type: 'string' },
        instance: { type: 'string', description: 'Another one after each start.' },
        startedAt: { type: 'string', description: 'RFC 3339.' },
        catalog: {
          type: 'object',
          required: ['isSyncing', 'sessions', 'left'],
          properties: {
            isSyncing: {
              type: 'boolean',
              description: 'Whether the server brings the catalogue up to date, as after its start.',
            },
            sessions: { type: 'integer', description: 'Sessions that the last sync found; 0 before the first.' },
            left: { type: 'integer', description: 'Those of them that it has not read yet.' },
          },
        },
      },
    },
    errors: [],
  }),
  route({
    name: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    group: 'Server',
    does: 'Describe every route as OpenAPI 3.1.',
    answer: { type: 'object' },
    bare: true,
    errors: [],
  }),
  route({
    name: 'metrics',
    method: 'GET',
    path: '/metrics',
    group: 'Server',
    does: 'Figures for Prometheus.',
    answer: 'text/plain',
    errors: [],
  }),
] as const;
