// The routes of the server itself.
import { openApiOf } from '../api/openapi.ts';
import { ROUTES } from '../api/routes.ts';
import type { SERVER_ROUTES } from '../api/server.ts';
import { VERSION } from '../version.ts';
import type { Handlers, NamesOf } from './context.ts';
import { ApiFailure } from './failure.ts';

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

  async openapi() {
    return openApiOf(ROUTES, { version: VERSION });
  },
};
