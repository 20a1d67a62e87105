// A thousand clients of a real server, on one session and on a session each: their cost to the server, in numbers.
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';
import { createHome, type Home } from '../support/cli.ts';
import { writeManySessions } from '../support/many-sessions.ts';
import { follow, type Served, serve } from '../support/served.ts';
import { until } from '../support/until.ts';

const CLIENTS = 1_000;
const MEGABYTE = 1e6;
/** Above the idle server. */
const GOAL = 100 * MEGABYTE;

const each = (index: number) => `/api/llm/sessions/s${index}/events`;
const one = () => '/api/llm/sessions/s0/events?from=0';

async function figures(server: Served) {
  const { text } = await server.ask('/metrics');
  const figure = (name: string) => Number(new RegExp(`^ollm_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    clients: figure('clients'),
    followed: figure('followed_sessions'),
    subscriptions: figure('subscriptions'),
    bytes: figure('resident_bytes'),
  };
}

/** The open files of the process, by kind. */
function opened({ child }: Served) {
  const directory = `/proc/${child.pid}/fd`;
  const names = readdirSync(directory).flatMap((fd) => {
    try {
      return readlinkSync(`${directory}/${fd}`);
    } catch {
      return []; // closed meanwhile
    }
  });
  const count = (isOne: (name: string) => boolean) => names.filter(isOne).length;
  return {
    journals: count((name) => name.endsWith('.jsonl')),
    sockets: count((name) => name.startsWith('socket:')),
    watches: count((name) => name === 'anon_inode:inotify'),
  };
}

const describeWhereCounted = platform === 'linux' ? describe : describe.skip;

describeWhereCounted('a thousand clients', () => {
  let home: Home;
  beforeAll(async () => {
    home = createHome();
    const newestMs = Date.parse('2026-01-01T00:00:00Z');
    // Where the session was begun that has a turn.
    mkdirSync(join(home.path, 'projects', 'bed-0'), { recursive: true });
    await writeManySessions(home.path, home.path, { count: CLIENTS, ownEvery: 1, newestMs });
  });
  afterAll(() => home[Symbol.dispose]());

  it.each([
    { of: 'one session', path: one, sessions: 1 },
    { of: 'a session each', path: each, sessions: CLIENTS },
  ])(
    'of $of cost a connection each, two open files for each session, and no watch, and all are released',
    async ({ path, sessions }) => {
      await using server = await serve(home);
      // The first sync of the server reads the thousand sessions.
      await until(async () => /^ollm_catalog_sync_seconds 0?\.?[0-9]*[1-9]/m.test((await server.ask('/metrics')).text));
      const idle = { ...(await figures(server)), ...opened(server) };
      const clients = [];
      for (let index = 0; index < CLIENTS; index += 1) clients.push(await follow(server, path(index)));
      const busy = { ...(await figures(server)), ...opened(server) };
      expect(busy).toMatchObject({ clients: CLIENTS, subscriptions: CLIENTS, followed: sessions });
      expect(busy.journals - idle.journals).toBeLessThanOrEqual(2 * sessions);
      expect(busy.sockets - idle.sockets).toBeLessThanOrEqual(CLIENTS + 1);
      expect(busy.watches - idle.watches).toBeLessThanOrEqual(1);
      expect(busy.bytes - idle.bytes).toBeLessThan(GOAL);

      const { body } = await server.post('/api/llm/sessions/s0/turns', { prompt: 'hello', answerer: 'offline' });
      expect(body).toMatchObject({ success: true });
      const listeners = sessions === 1 ? clients : clients.slice(0, 1);
      await until(() => listeners.every(({ text }) => text.includes('"type":"turn.ended"')));
      expect(listeners.every(({ text }) => text.split('"type":"turn.ended"').length === 2)).toBe(true);

      for (const { leave } of clients) leave();
      await until(async () => (await figures(server)).followed <= 1);
      expect(await figures(server)).toMatchObject({ clients: 0, subscriptions: 0 });
      await until(() => opened(server).sockets <= idle.sockets + 1 && opened(server).journals <= idle.journals + 4);
    },
  );
});
