// The server of this home that runs, as a program of the same user talks to it.
import type { App } from '../app/app.ts';
import { type Client, createClient } from '../client/client.ts';
import { announcedServer } from '../host/server-file.ts';
import { ownFetch } from '../server/own-fetch.ts';
import { tokenOf } from '../server/token.ts';

/** Undefined if none is known to run, or the file of its token is gone. @throws OllmError CONFIG_INVALID */
export async function runningServer(app: App): Promise<Client | undefined> {
  const server = announcedServer(app);
  const token = server && tokenOf(app, server);
  if (token === undefined) return undefined;
  return createClient({ address: server!.address, token, fetch: await ownFetch(server!) });
}
