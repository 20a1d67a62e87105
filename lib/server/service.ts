// The routes of the server itself.
import { openApiOf } from '../api/openapi.ts';
import { ROUTES } from '../api/routes.ts';
import type { SERVER_ROUTES } from '../api/server.ts';
import { VERSION } from '../version.ts';
import type { Handlers, NamesOf } from './context.ts';
import { ApiFailure } from './failure.ts';
import { metricsText } from './metrics.ts';

export const serviceHandlers: Handlers<NamesOf<typeof SERVER_ROUTES>> = {
  async enter({ body, context, headers }) {
    const cookie = context.credentials.exchange(body.code);
    if (cookie === undefined) {
      throw new ApiFailure('CODE_INVALID', 'The link was already used, or is too old: "ollm open" makes a new one.');
    }
    headers.set('set-cookie', cookie);
    return { entered: true };
  },

  async makeCode({ context }) {
    const code = context.credentials.makeCode();
    return { code, path: `/join#${code}` };
  },

  async health({ context: { instance, startedAt, stopping } }) {
    return { status: stopping.aborted ? 'stopping' : 'ok', version: VERSION, instance, startedAt };
  },

  async metrics({ context: { clients, answered, startedAt, app } }) {
    const statuses = [...answered].map(([status, value]) => ({ labels: { status: String(status) }, value }));
    const upSeconds = (app.clock.now() - Date.parse(startedAt)) / 1000;
    const text = metricsText([
      { name: 'ollm_up_seconds', help: 'Seconds since the start.', type: 'gauge', values: [{ value: upSeconds }] },
      { name: 'ollm_clients', help: 'Open event streams.', type: 'gauge', values: [{ value: clients.open }] },
      {
        name: 'ollm_evicted_clients_total',
        help: 'Event streams closed because the client was too slow.',
        type: 'counter',
        values: [{ value: clients.evicted }],
      },
      { name: 'ollm_requests_total', help: 'Requests answered, by status.', type: 'counter', values: statuses },
    ]);
    return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
  },

  async openapi() {
    return openApiOf(ROUTES, { version: VERSION });
  },
};
