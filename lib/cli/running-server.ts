// The server of this home that runs, as a program of the same user talks to it.
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { type Client, createClient } from '../client/client.ts';
import { announcedServer } from '../host/server-file.ts';
import { readToken } from '../server/token.ts';

export interface RunningServer {
  readonly address: string;
  readonly client: Client;
}

/** Undefined if none is known to run, or its token is not where the settings say. @throws OllmError CONFIG_INVALID */
export function runningServer(app: App): RunningServer | undefined {
  const server = announcedServer(app);
  const token = server && readToken(app, app.config.server.tokenFile ?? join(app.paths.home, 'server-token'));
  return token === undefined ? undefined : { address: server!.address, client: createClient({ ...server, token }) };
}
