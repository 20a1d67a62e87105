// The catalogue of a home whose sessions are on a server: it is a file of this home, and follows what every home stores
// in the stream.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSessions } from '../../lib/app/list/list-sessions.ts';
import { type CatalogWorld, catalogWorld } from '../catalog/world.ts';
import { describeWithServer, linkClient, type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { natsStore, newTenant } from '../support/nats-store.ts';

/** What a list shows, as a new process makes it, and which sessions it reads for that. */
async function listed(world: CatalogWorld): Promise<{ readonly shown: string[]; readonly read: string[] }> {
  const app = await world.start();
  const ids = new Set<string>();
  const noted = <Rest extends unknown[], Result>(read: (id: string, ...rest: Rest) => Result) => {
    return (id: string, ...rest: Rest): Result => {
      ids.add(id);
      return read(id, ...rest);
    };
  };
  const store = {
    ...app.store,
    openReader: noted(app.store.openReader),
    readDocument: noted(app.store.readDocument),
  };
  const shown = (await listSessions({ ...app, store })).map(({ id }) => id).sort();
  const read = [...ids].sort();
  await app.close();
  return { shown, read };
}

describeWithServer('the catalogue of sessions on a server', () => {
  let server: NatsServer;
  const worlds: CatalogWorld[] = [];
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.dispose());
  afterEach(() => {
    for (const world of worlds.splice(0)) world.remove();
  });

  function worldOn(address: string): CatalogWorld {
    const world = catalogWorld();
    worlds.push(world);
    linkClient(world.home);
    // JSON is YAML.
    writeFileSync(join(world.home, 'config.yaml'), JSON.stringify({ store: address }), { mode: 0o600 });
    return world;
  }

  it('follows the stream: a session that a second home stores is listed, and nothing else is read for that', async () => {
    const tenant = newTenant();
    const store = natsStore({ servers: [server.url], tenant });
    await store.prepare();
    const [here, there] = [worldOn(`${server.url}/${tenant}`), worldOn(`${server.url}/${tenant}`)];
    for (const id of ['ash', 'elm', 'oak']) await there.add(id);
    const all = ['ash', 'elm', 'oak'];
    expect(await listed(here)).toEqual({ shown: all, read: all });
    expect(await listed(here)).toEqual({ shown: all, read: [] });

    await there.add('yew');
    await store.trash('ash');
    const writer = await store.openWriter('elm');
    await writer.append({ type: 'note.added', data: { text: 'more' } });
    await writer.close();
    await store.disconnect();
    expect(await listed(here)).toEqual({ shown: ['elm', 'oak', 'yew'], read: ['elm', 'yew'] });
    expect(await listed(here)).toEqual({ shown: ['elm', 'oak', 'yew'], read: [] });
  });
});
