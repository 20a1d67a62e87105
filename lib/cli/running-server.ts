// A server of this home that runs, as a program of the same user talks to it.
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { type Client, createClient } from '../client/client.ts';
import { type Announced, announcedServer } from '../host/server-file.ts';
import { readToken } from '../server/token.ts';

export interface RunningServer {
  readonly address: string;
  readonly client: Client;
}

/** The newest; undefined if none is known to run. @throws as `connectTo` */
export function runningServer(app: App): RunningServer | undefined {
  const server = announcedServer(app);
  return server && connectTo(app, server);
}

/** Undefined where its token is not where the settings say. @throws OllmError CONFIG_INVALID: the token file */
export function connectTo(app: App, { address }: Pick<Announced, 'address'>): RunningServer | undefined {
  const token = readToken(app, app.config.server.tokenFile ?? join(app.paths.home, 'server-token'));
  return token === undefined ? undefined : { address, client: createClient({ address, token }) };
}
