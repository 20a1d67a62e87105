// A home whose sessions are on a server of NATS, as its configuration says: for tests of the built program.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from './cli.ts';
import { linkClient } from './nats-server.ts';

/** `nats`: the settings of that name. */
export function homeOnServers(store: string | undefined, nats: object = {}): Home {
  const home = createHome();
  linkClient(home.path);
  // JSON is YAML.
  writeFileSync(join(home.path, 'config.yaml'), JSON.stringify({ ...(store !== undefined && { store }), nats }));
  return home;
}
