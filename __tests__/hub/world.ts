// Sessions of ollm's own on a real disk, indexed and searched by apps that begin like a process does.
import type { App } from '../../lib/app/app.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { type SearchRequest, searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import type { SearchHit } from '../../lib/catalog/search-request.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { SyncReport } from '../../lib/hub/sync.ts';
import { createSession } from '../../lib/session/create.ts';
import { openSession } from '../../lib/session/open.ts';
import { catalogWorld } from '../catalog/world.ts';
import { OPTIONS, said } from '../session/world.ts';

export type Variables = Readonly<Record<string, string>>;

export function hubWorld() {
  const world = catalogWorld();
  const withApp = async <Result>(use: (app: App) => Promise<Result>, env: Variables = {}): Promise<Result> => {
    const app = await world.start(env);
    try {
      return await use(app);
    } finally {
      await app.close();
    }
  };
  const hub = {
    ...world,
    withApp,
    /** Makes a session with these events; a text is a message of the user. */
    async make(id: string, events: readonly (string | NewOllmEvent)[], env: Variables = {}, created: object = {}) {
      await withApp(async (app) => {
        const first = { provider: 'offline', model: 'm-1', ollm: '0.0.0', cwd: `/home/ada/${id}`, ...created };
        const session = await createSession(app.store, { id, created: first }, OPTIONS);
        for (const event of events) await session.append(typeof event === 'string' ? said('user', event) : event);
        await session.close('exit');
      }, env);
    },
    async goOn(id: string, events: readonly (string | NewOllmEvent)[], env: Variables = {}) {
      await withApp(async (app) => {
        const session = await openSession(app.store, id, OPTIONS);
        for (const event of events) await session.append(typeof event === 'string' ? said('user', event) : event);
        await session.close('exit');
      }, env);
    },
    async sync(env: Variables = {}): Promise<SyncReport> {
      const outcome = await withApp((app) => syncSessions(app), env);
      if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
      return outcome.report;
    },
    async search(request: string | SearchRequest, env: Variables = {}): Promise<readonly SearchHit[]> {
      const asked = typeof request === 'string' ? { text: request } : request;
      return withApp(async (app) => (await searchSessions(app, asked)).hits, env);
    },
    async addresses(request: string | SearchRequest, env: Variables = {}): Promise<string[]> {
      return (await hub.search(request, env)).map(({ address }) => address).sort();
    },
  };
  return hub;
}

export type HubWorld = ReturnType<typeof hubWorld>;

/** A call and its result. */
export function callOf(callId: string, args: Record<string, unknown>, output: string): NewOllmEvent[] {
  return [
    { type: 'tool.requested', data: { callId, name: 'bash', args } },
    { type: 'tool.decided', data: { callId, decision: 'allow', by: 'policy' } },
    { type: 'tool.started', data: { callId, sandbox: 'none', envRemoved: [] } },
    {
      type: 'tool.finished',
      data: { callId, status: 'ok', result: { llmContent: output }, durationMs: 1, trusted: false },
    },
  ];
}
