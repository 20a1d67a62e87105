import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { isOllmError } from '../../../lib/errors/index.ts';
import { until } from '../../support/until.ts';
import { follow, hostWorld } from '../world.ts';

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isOllmError(error) ? error.code : `not refused: ${String(error)}`;
};

describe('a session in a host', () => {
  it('is started with its first turn, and its writer is closed a while afterwards', async () => {
    await using world = await hostWorld({ replies: [{ text: 'It is an append-only file.' }] });
    const { host } = world;
    const { sessionId, ahead } = await host.sessions.start({ text: 'What is a journal?', by: { author: 'ann' } });
    expect(ahead).toBe(0);
    const snapshot = await host.sessions.wait(sessionId);
    expect(snapshot).toMatchObject({ status: 'completed', provider: 'ollm', family: 'sdk', model: 'tooled:latest' });
    expect(snapshot.transitions.map(({ status }) => status)).toEqual(['running', 'completed']);
    expect(snapshot.workspacePath).toBe(world.project);
    expect(snapshot.instanceId).toBe(host.instance);
    const messages = world.journal(sessionId).filter(({ type }) => type === 'message.added');
    expect(messages.map(({ data }) => [data.role, data.author])).toEqual([
      ['user', 'ann'],
      ['assistant', undefined],
    ]);
    expect(host.sessions.activity(sessionId)).toEqual({ kind: 'free' });
    await until(() => host.sessions.activity(sessionId).kind === 'not-held');
    expect(await host.sessions.snapshot(sessionId)).not.toHaveProperty('instanceId');
    expect(world.journal(sessionId).at(-1)?.type).toBe('session.closed');
  });

  it('is started before the oldest ones beyond the limit are in the trash', async () => {
    await using world = await hostWorld({ env: { OLLM_SERVICES__SESSION__MAX_SESSIONS: '2' } });
    const { sessions } = world.host;
    const kept = () => readdirSync(join(world.home, 'session-data')).filter((name) => name.endsWith('.jsonl'));
    const start = async () => {
      const { sessionId } = await sessions.start({ text: 'What is a journal?' });
      const atOnce = kept().length;
      await sessions.wait(sessionId);
      await until(() => sessions.activity(sessionId).kind === 'not-held');
      return atOnce;
    };
    expect([await start(), await start(), await start()]).toEqual([1, 2, 3]);
    await until(() => kept().length === 2);
    expect(readdirSync(join(world.home, 'session-data', 'trash'))).toHaveLength(1);
  });

  it('takes further prompts into a queue, in which they can be changed and removed', async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await hostWorld({ replies: [{ text: 'one', until: gate.promise }, { text: 'next' }] });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await until(() => sessions.activity(sessionId).kind === 'running');
    const second = await sessions.prompt(sessionId, { text: 'second' });
    const third = await sessions.prompt(sessionId, { text: 'third' });
    expect([second.ahead, third.ahead]).toEqual([1, 2]);
    await sessions.editQueued(sessionId, third.promptId, { text: 'third, in other words' });
    await sessions.removeQueued(sessionId, second.promptId);
    expect((await sessions.queue(sessionId)).map(({ text }) => text)).toEqual(['third, in other words']);
    expect(await codeOf(sessions.removeQueued(sessionId, second.promptId))).toBe('PROMPT_NOT_FOUND');
    gate.resolve();
    await sessions.wait(sessionId);
    const inputs = world.journal(sessionId).flatMap(({ type, data }) => (type === 'turn.started' ? [data.input] : []));
    expect(inputs).toEqual(['first', 'third, in other words']);
  });

  it('is not free at any moment at which a prompt waits, and its queue has no prompt that runs', async () => {
    await using world = await hostWorld({ replies: Array.from({ length: 8 }, () => ({ text: 'one' })) });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    let isOver = false;
    const watched = (async () => {
      const wrong: unknown[] = [];
      const kinds = new Set<string>();
      for (; !isOver; await breathe()) {
        const queued = sessions.queue(sessionId);
        const activity = sessions.activity(sessionId);
        const ids = (await queued).map(({ promptId }) => promptId);
        const isRight = 'promptId' in activity ? activity.queued === ids.length : ids.length === 0;
        kinds.add(activity.kind);
        if (!isRight || ('promptId' in activity && ids.includes(activity.promptId))) wrong.push([activity, ids]);
      }
      return { wrong, kinds };
    })();
    for (const round of [1, 2]) {
      const texts = [1, 2, 3].map((number) => `${round}.${number}`);
      await Promise.all(texts.map((text) => sessions.prompt(sessionId, { text })));
      await sessions.wait(sessionId);
    }
    isOver = true;
    const { wrong, kinds } = await watched;
    expect(wrong).toEqual([]);
    expect(kinds).toContain('running');
    expect(sessions.activity(sessionId)).toEqual({ kind: 'free' });
  });

  it('is reused for a prompt that comes while its writer is being closed', async () => {
    await using world = await hostWorld({ replies: [{ text: 'one' }, { text: 'two', ends: false }] });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    const deadline = performance.now() + 30_000;
    while (sessions.activity(sessionId).kind !== 'not-held' && performance.now() < deadline) await breathe();
    await sessions.prompt(sessionId, { text: 'second' });
    await until(() => sessions.activity(sessionId).kind === 'running');
    expect((await sessions.prompt(sessionId, { text: 'third' })).ahead).toBe(1);
    expect(await sessions.stop(sessionId)).toEqual({ stopped: true });
  });

  it('is reused for a prompt that comes together with one that fails', async () => {
    await using world = await hostWorld({ replies: [{ text: 'one' }, { text: 'two', ends: false }] });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    await until(() => sessions.activity(sessionId).kind === 'not-held');
    const [failed, taken] = await Promise.allSettled([
      sessions.prompt(sessionId, { text: 'second', provider: 'no-such' }),
      sessions.prompt(sessionId, { text: 'third' }),
    ]);
    expect([failed.status, taken.status]).toEqual(['rejected', 'fulfilled']);
    await until(() => sessions.activity(sessionId).kind === 'running');
    expect(await sessions.stop(sessionId)).toEqual({ stopped: true });
  });

  it('refuses prompts beyond the limit of the queue', async () => {
    await using world = await hostWorld({ replies: [{ text: 'one', ends: false }], limits: { queueLength: 1 } });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await until(() => sessions.activity(sessionId).kind === 'running');
    await sessions.prompt(sessionId, { text: 'second' });
    expect(await codeOf(sessions.prompt(sessionId, { text: 'third' }))).toBe('QUEUE_FULL');
  });

  it('is stopped in the middle of an answer, and keeps the part that came', async () => {
    await using world = await hostWorld({ replies: [{ text: 'It begins', ends: false }] });
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'Tell me' });
    const client = follow(host, sessionId);
    await client.until(() => client.text().includes('It begins'));
    expect(await host.sessions.stop(sessionId)).toEqual({ stopped: true });
    expect((await host.sessions.snapshot(sessionId)).status).toBe('stopped');
    expect(
      world.journal(sessionId).find(({ type, data }) => type === 'message.added' && data.role === 'assistant')?.data,
    ).toMatchObject({ finish: 'cancelled', parts: [{ type: 'text', text: 'It begins' }] });
    expect(await host.sessions.stop(sessionId)).toEqual({ stopped: false });
  });

  it('has the same snapshot after a restart as before', async () => {
    await using world = await hostWorld();
    const { sessionId } = await world.host.sessions.start({ text: 'Hello' });
    await world.host.sessions.wait(sessionId);
    await world.host.sessions.handOver(sessionId);
    const before = await world.host.sessions.snapshot(sessionId);
    await world.host.close();
    const after = await (await world.another()).sessions.snapshot(sessionId);
    expect(after).toEqual(before);
  });

  it('is undone, compacted, forked, named and removed', async () => {
    await using world = await hostWorld({ replies: [{ text: 'one' }, { text: 'two' }] });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.prompt(sessionId, { text: 'second' });
    await sessions.wait(sessionId);
    expect(await sessions.undo(sessionId)).toEqual({ text: 'second' });
    expect(await sessions.compact(sessionId)).toEqual({ seq: undefined });
    const fork = await sessions.fork(sessionId);
    expect(world.journal(fork.sessionId)[0]?.data.parent).toMatchObject({ sessionId });
    await sessions.rename(sessionId, 'The garden');
    expect((await sessions.snapshot(sessionId)).title).toBe('The garden');
    const client = follow(world.host, sessionId);
    await client.until(({ items }) => items.length > 0);
    await sessions.remove(sessionId);
    await client.until(({ items }) => items.at(-1)?.kind === 'end');
    expect(await codeOf(sessions.snapshot(sessionId))).toBe('SESSION_NOT_FOUND');
  });

  it('keeps the chosen model for later turns', async () => {
    await using world = await hostWorld();
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    expect(await codeOf(sessions.setModel(sessionId, 'no-such'))).toBe('MODEL_NOT_FOUND');
    expect(await sessions.setModel(sessionId, 'tooled')).toEqual({ provider: 'ollama', model: 'tooled' });
    await sessions.handOver(sessionId);
    const other = await world.another();
    await other.sessions.prompt(sessionId, { text: 'second' }).catch(() => {});
    await world.host.close();
    const last = world.model.requests.findLast(({ path }) => path === '/api/chat');
    expect(world.journal(sessionId).findLast(({ type }) => type === 'model.changed')?.data.model).toBe('tooled');
    expect((last!.body as { model: string }).model).toMatch(/^tooled/);
  });

  it('reports a fault of its start before anything is created', async () => {
    await using world = await hostWorld();
    const { sessions } = world.host;
    expect(await codeOf(sessions.start({ text: ' ' }))).toBe('USAGE');
    expect(await codeOf(sessions.start({ text: 'x', workspace: '/etc' }))).toBe('WORKSPACE_NOT_ALLOWED');
    expect(await codeOf(sessions.start({ text: 'x', permissions: 'allow' }))).toBe('UNATTENDED_NOT_ALLOWED');
    expect(await codeOf(sessions.start({ text: 'x', provider: 'no-such' }))).toBe('PROVIDER_UNKNOWN');
    expect(await codeOf(sessions.prompt('no-such', { text: 'x' }))).toBe('SESSION_NOT_FOUND');
    expect(sessions.lately()).toEqual([]);
  });

  it('reports why a prompt became no turn, to its subscribers and to waiting callers', async () => {
    await using world = await hostWorld();
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'look', attachments: ['/etc/hostname'] });
    const client = follow(world.host, sessionId);
    expect(await sessions.wait(sessionId)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^POLICY_DENIED/),
    });
    await client.until(({ items }) => items.length > 0);
    await sessions.prompt(sessionId, { text: 'look', attachments: [`${world.project}/no-such`] });
    await client.until(() => client.signals('problem').some(({ code }) => code === 'USAGE'));
    await sessions.prompt(sessionId, { text: 'never mind' });
    expect((await sessions.wait(sessionId)).status).toBe('completed');
    expect(await codeOf(sessions.prompt(sessionId, { text: 'x', model: 'no-such' }))).toBe('MODEL_NOT_FOUND');
  });

  it('belongs to one server at a time, and a second one names that server', async () => {
    await using world = await hostWorld({ replies: [{ text: 'one', ends: false }] });
    await world.host.announce('http://127.0.0.1:1');
    const { sessionId } = await world.host.sessions.start({ text: 'first' });
    const other = await world.another();
    expect(await codeOf(other.sessions.prompt(sessionId, { text: 'second' }))).toBe('SESSION_LOCKED');
    expect(await codeOf(other.sessions.stop(sessionId))).toBe('SESSION_LOCKED');
  });
});
