import { isOllmError } from '../../lib/errors/index.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { openSession } from '../../lib/session/open.ts';
import { until } from '../support/until.ts';
import { hostWorld } from './world.ts';

describe('a session that a different process wants', () => {
  it('is handed over immediately if no turn runs', async () => {
    await using world = await hostWorld({ limits: { holdMs: 60_000 } });
    const { sessions, app } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    expect(sessions.activity(sessionId).kind).toBe('free');
    expect(await sessions.handOver(sessionId)).toEqual({ kind: 'free' });
    const session = await openSession(app.store, sessionId, { log: silentLog });
    await session.close('exit');
  });

  it('is reserved for that process until it has opened the session, and is free again once the process has left', async () => {
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

  it('is handed over at the end of the turn, and its queue continues afterwards', async () => {
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
    expect((await sessions.queue(sessionId)).map(({ text }) => text)).toEqual(['second']);
    await session.close('exit');
    await sessions.wait(sessionId);
    const turns = world.journal(sessionId).flatMap(({ type, data }) => (type === 'turn.started' ? [data.input] : []));
    expect(turns).toEqual(['first', 'second']);
  });

  it('is refused if a third process holds it, and the error names that process', async () => {
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
