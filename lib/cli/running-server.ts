// The server of this home that runs, as a program of the same user talks to it.
import type { App } from '../app/app.ts';
import { type Client, createClient } from '../client/client.ts';
import { announcedServer } from '../host/server-file.ts';
import { tokenOf } from '../server/token.ts';

export interface RunningServer {
  readonly address: string;
  readonly client: Client;
}

/** Undefined if none is known to run, or the file of its token is gone. @throws OllmError CONFIG_INVALID */
export function runningServer(app: App): RunningServer | undefined {
  const server = announcedServer(app);
  const token = server && tokenOf(app, server);
  return token === undefined ? undefined : { address: server!.address, client: createClient({ ...server, token }) };
}
