// Sessions on a real disk, and lists of them by apps that begin like a process does: with nothing in memory.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../lib/app/app.ts';
import { createApp } from '../../lib/app/compose.ts';
import { listSessions, type SessionRow } from '../../lib/app/list/list-sessions.ts';
import { noCatalog } from '../../lib/catalog/catalog.ts';
import { manualClock, silentLog } from '../../lib/platform/index.ts';
import { createSession } from '../../lib/session/create.ts';
import { OPTIONS, said } from '../session/world.ts';

export interface CatalogWorld {
  readonly home: string;
  readonly sessions: string;
  /** An app of its own. Its clock is a minute ahead, so that files written just now count as settled. Close it. */
  start(env?: Readonly<Record<string, string>>): Promise<App>;
  add(id: string, title?: string, env?: Readonly<Record<string, string>>): Promise<void>;
  /** As a new process answers; the catalogue is brought up to date after it. */
  list(): Promise<SessionRow[]>;
  /** Made only from the journals. */
  plainly(): Promise<SessionRow[]>;
  /** How many journals and state files a list reads. */
  readsOfList(): Promise<number>;
  /** Everything that is in the files of the catalogue. */
  /** All bytes of the catalogue, or of the passages. */
  bytes(file?: 'catalog' | 'passages'): Buffer;
  remove(): void;
}

export function catalogWorld(): CatalogWorld {
  const home = join(mkdtempSync(join(tmpdir(), 'ollm-catalog-')), 'home');
  const sessions = join(home, 'session-data');
  mkdirSync(home, { mode: 0o700 });
  const world: CatalogWorld = {
    home,
    sessions,
    start: (env = {}) =>
      createApp({
        env: { HOME: home, OLLM_HOME: home, ...env },
        cwd: home,
        command: 'test',
        parts: { clock: manualClock(Date.now() + 60_000), log: silentLog },
      }),
    async add(id, title = `Title of ${id}`, env = {}) {
      const app = await world.start(env);
      const created = { provider: 'offline', model: 'm-1', ollm: '0.0.0', title, cwd: `/home/ada/${id}` };
      const session = await createSession(app.store, { id, created }, OPTIONS);
      await session.append(said('user', `A question in ${id}`));
      await session.close('exit');
      await app.close();
    },
    async list() {
      const app = await world.start();
      const rows = await listSessions(app);
      await app.close();
      return plain(rows);
    },
    async plainly() {
      const app = await world.start();
      return plain(await listSessions({ ...app, catalog: noCatalog }));
    },
    async readsOfList() {
      const app = await world.start();
      let reads = 0;
      const counted = <Args extends unknown[], Result>(read: (...args: Args) => Result) => {
        return (...args: Args): Result => {
          reads += 1;
          return read(...args);
        };
      };
      const store = {
        ...app.store,
        openReader: counted(app.store.openReader),
        readDocument: counted(app.store.readDocument),
      };
      await listSessions({ ...app, store });
      const readForRows = reads;
      await app.close();
      return readForRows;
    },
    bytes(file = 'catalog') {
      const names = readdirSync(home).filter((name) => name.startsWith(`${file}-`));
      return Buffer.concat(names.map((name) => readFileSync(join(home, name))));
    },
    remove: () => rmSync(join(home, '..'), { recursive: true, force: true }),
  };
  return world;
}

/** Without getters, so that rows can be compared. */
function plain(rows: readonly SessionRow[]): SessionRow[] {
  return rows.map((row) => ({ ...row }));
}
