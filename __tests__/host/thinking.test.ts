import { isOllmError } from '../../lib/errors/index.ts';
import { type HostWorld, hostWorld } from './world.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'not refused',
    (error: unknown) => (isOllmError(error) ? error.code : String(error)),
  );
const thinks = (world: HostWorld) =>
  world.model.requests.flatMap(({ path, body }) => (path === '/api/chat' ? [(body as { think?: unknown }).think] : []));

describe('the thinking effort of a session', () => {
  it('is set with a prompt or between turns, holds for later turns, and over a restart', async () => {
    await using world = await hostWorld();
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first', thinking: 'high' });
    expect(await sessions.wait(sessionId)).toMatchObject({ status: 'completed', thinkingMode: 'high' });
    await sessions.prompt(sessionId, { text: 'second' });
    await sessions.wait(sessionId);
    await sessions.setThinking(sessionId, 'off');
    expect((await sessions.snapshot(sessionId)).thinkingMode).toBe('off');
    await world.host.close();
    const next = await world.another();
    await next.sessions.prompt(sessionId, { text: 'third' });
    expect(await next.sessions.wait(sessionId)).toMatchObject({ thinkingMode: 'off' });
    expect(thinks(world)).toEqual([true, true, false]);
    const changes = world.journal(sessionId).filter(({ type }) => type === 'model.changed');
    expect(changes.map(({ data }) => data.thinking)).toEqual(['high', 'off']);
  });

  it('is refused, and nothing is created, if the model has no such effort', async () => {
    await using world = await hostWorld();
    const { sessions } = world.host;
    const refused = 'THINKING_MODE_NOT_SUPPORTED';
    expect(await codeOf(sessions.start({ text: 'x', thinking: 'max', name: 'oak' }))).toBe(refused);
    expect(await codeOf(sessions.start({ text: 'x', thinking: 'hard' as 'high', name: 'oak' }))).toBe(refused);
    expect(await codeOf(sessions.start({ text: 'x', provider: 'offline', thinking: 'high', name: 'oak' }))).toBe(
      refused,
    );
    const { sessionId } = await sessions.start({ text: 'first', name: 'oak' });
    await sessions.wait(sessionId);
    expect(await codeOf(sessions.setThinking(sessionId, 'medium'))).toBe(refused);
    expect(await codeOf(sessions.prompt(sessionId, { text: 'x', thinking: 'low' }))).toBe(refused);
    expect((await sessions.snapshot(sessionId)).thinkingMode).toBeUndefined();
    expect(thinks(world)).toEqual([undefined]);
  });

  it('is dropped with a change to a model that has no such effort', async () => {
    await using world = await hostWorld();
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first', thinking: 'high' });
    await sessions.wait(sessionId);
    await sessions.prompt(sessionId, { text: 'second', provider: 'offline' });
    const { thinkingMode, answerer } = await sessions.wait(sessionId);
    expect({ thinkingMode, answerer }).toEqual({ answerer: 'offline', thinkingMode: undefined });
  });
});
