import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOllmError } from '../../lib/errors/index.ts';
import { announcedServer } from '../../lib/host/server-file.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { openSession } from '../../lib/session/open.ts';
import { until } from '../support/until.ts';
import { hostWorld } from './world.ts';

describe('a session that another process wants', () => {
  it('is handed over at once where nothing runs', async () => {
    await using world = await hostWorld({ limits: { holdMs: 60_000 } });
    const { sessions, app } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    expect(sessions.activity(sessionId).kind).toBe('free');
    expect(await sessions.handOver(sessionId)).toEqual({ kind: 'free' });
    const session = await openSession(app.store, sessionId, { log: silentLog });
    await session.close('exit');
  });

  it('is kept for it until it has opened it, and is free again once that one is gone', async () => {
    await using world = await hostWorld({ limits: { holdMs: 60_000 } });
    const { sessions, app } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    await sessions.handOver(sessionId);
    const early: unknown = await sessions.prompt(sessionId, { text: 'early' }).catch((error) => error);
    expect(early).toMatchObject({ code: 'SESSION_LOCKED', data: { retryAfterMs: expect.any(Number) } });
    await expect(sessions.rename(sessionId, 'early')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    // It came and went before anything was asked of the server.
    await (await openSession(app.store, sessionId, { log: silentLog })).close('exit');
    await sessions.prompt(sessionId, { text: 'second' });
    await sessions.wait(sessionId);
    const turns = world.journal(sessionId).flatMap(({ type, data }) => (type === 'turn.started' ? [data.input] : []));
    expect(turns).toEqual(['first', 'second']);
  });

  it('is handed over at the end of the turn; what waits in the queue continues afterwards', async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await hostWorld({ replies: [{ text: 'one', until: gate.promise }, { text: 'two' }] });
    const { sessions, app } = world.host;
    const { sessionId, promptId } = await sessions.start({ text: 'first' });
    await until(() => sessions.activity(sessionId).kind === 'running');
    await sessions.prompt(sessionId, { text: 'second' });
    const busy = await sessions.handOver(sessionId);
    expect(busy).toMatchObject({ kind: 'busy', activity: { promptId, queued: 1 } });
    const waiting = sessions.handOver(sessionId, { wait: true });
    gate.resolve();
    expect(await waiting).toEqual({ kind: 'free' });
    const session = await openSession(app.store, sessionId, { log: silentLog });
    expect(sessions.queue(sessionId).map(({ text }) => text)).toEqual(['second']);
    await session.close('exit');
    await sessions.wait(sessionId);
    const turns = world.journal(sessionId).flatMap(({ type, data }) => (type === 'turn.started' ? [data.input] : []));
    expect(turns).toEqual(['first', 'second']);
  }, 30_000);

  it('leads to the server that holds it', async () => {
    await using world = await hostWorld();
    await world.host.announce('http://127.0.0.1:4700');
    const file = join(world.home, 'run', 'server.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const announced = { address: 'http://127.0.0.1:4700', instance: world.host.instance, pid: process.pid };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ format: 1, ...announced });
    expect(announcedServer(world.host.app)).toEqual(announced);
    expect(announcedServer(world.host.app, process.pid)).toEqual(announced);
    const { app } = await world.another();
    await world.host.close();
    expect(announcedServer(app)).toBeUndefined();
  });

  it('finds nothing of servers that were killed, and what lives and what is young stays', async () => {
    await using world = await hostWorld();
    await world.host.announce('http://127.0.0.1:4700');
    const run = join(world.home, 'run');
    const dead = 'dead0000-0000-4000-8000-000000000000';
    const left = ['server-999999.json', `server-${dead}.lock`, 'server-999999.json.lock'];
    const young = `server-${dead.replaceAll('d', 'b')}.lock`;
    for (const name of [...left, young]) writeFileSync(join(run, name), '');
    for (const name of readdirSync(run).filter((each) => each !== young)) utimesSync(join(run, name), 1, 1);
    const before = readdirSync(run);
    await (await world.another()).announce('http://127.0.0.1:4701');
    const after = readdirSync(run);
    expect(after).toEqual(expect.arrayContaining(before.filter((name) => !left.includes(name))));
    for (const name of left) expect(after).not.toContain(name);
  });

  it('leads to no server that was killed, also where a process has its number', async () => {
    await using world = await hostWorld();
    await world.host.announce('http://127.0.0.1:4700');
    const file = join(world.home, 'run', 'server.json');
    const left = readFileSync(file, 'utf8');
    await world.host.close();
    const { app } = await world.another();
    for (const lock of [undefined, `server-${world.host.instance}.lock`]) {
      if (lock !== undefined) writeFileSync(join(world.home, 'run', lock), '', { mode: 0o600 });
      writeFileSync(file, left, { mode: 0o600 });
      expect(app.process.isAlive(JSON.parse(left).pid)).toBe(true);
      expect(announcedServer(app)).toBeUndefined();
    }
  });

  it('is refused where another process holds it, with that process', async () => {
    await using world = await hostWorld();
    const { sessions, app } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    await sessions.handOver(sessionId);
    await until(() => sessions.activity(sessionId).kind === 'not-held');
    const session = await openSession(app.store, sessionId, { log: silentLog });
    try {
      const error: unknown = await (await world.another()).sessions
        .prompt(sessionId, { text: 'x' })
        .catch((each) => each);
      expect(isOllmError(error, 'SESSION_LOCKED')).toBe(true);
      expect((error as { data: unknown }).data).toMatchObject({ id: sessionId, holder: { pid: process.pid } });
    } finally {
      await session.close('exit');
    }
  });
});
