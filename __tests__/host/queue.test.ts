// Prompts that wait in the queue of a session when the server ends, is killed, or gives the session to a different
// process.
import { existsSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { silentLog } from '../../lib/platform/index.ts';
import { openSession } from '../../lib/session/open.ts';
import { endWithTests } from '../support/end-with-tests.ts';
import { startSource } from '../support/source-child.ts';
import { until } from '../support/until.ts';
import { type HostWorld, hostWorld } from './world.ts';

const CHILD = fileURLToPath(new URL('host-child.ts', import.meta.url));

const inputs = (world: HostWorld, id: string) =>
  world.journal(id).flatMap(({ type, data }) => (type === 'turn.started' ? [data.input] : []));
const asked = (world: HostWorld) =>
  world.model.requests.flatMap(({ path, body }) => {
    const { messages } = body as { messages: { role: string; content: string }[] };
    return path === '/api/chat' ? [messages.at(-1)!.content] : [];
  });

/** A session in which a turn runs that does not end, and two prompts wait. */
async function busy(world: HostWorld) {
  const { sessions } = world.host;
  const { sessionId } = await sessions.start({ text: 'first' });
  await until(() => asked(world).length === 1);
  const second = await sessions.prompt(sessionId, { text: 'second', by: { author: 'ann' } });
  const third = await sessions.prompt(sessionId, { text: 'third' });
  return { sessions, sessionId, second, third };
}

const REPLIES = [{ text: 'one', ends: false }, { text: 'more' }];

describe('the queue of a led conversation', () => {
  it('queued prompts run once each, in order, after a restart of the server', async () => {
    await using world = await hostWorld({ replies: REPLIES });
    const { sessionId } = await busy(world);
    await world.host.close();
    expect(inputs(world, sessionId)).toEqual(['first']);
    const next = await world.another();
    await until(() => inputs(world, sessionId).length === 3);
    await next.sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first', 'second', 'third']);
    const messages = world
      .journal(sessionId)
      .filter(({ type, data }) => type === 'message.added' && data.role === 'user');
    expect(messages.map(({ data }) => data.author)).toEqual([undefined, 'ann', undefined]);
    await next.close();
    const last = await world.another();
    await last.sessions.prompt(sessionId, { text: 'fourth' });
    await last.sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('queued prompts are not lost when the server is killed: each accepted one runs', async () => {
    await using world = await hostWorld({ replies: REPLIES });
    const input = JSON.stringify({ env: world.env, cwd: world.project, waiting: ['second', 'third'] });
    const child = startSource(CHILD, [input]);
    endWithTests(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    await until(() => lines.filter((line) => line.startsWith('accepted')).length === 2 && asked(world).length === 1);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
    const sessionId = lines[0]!.slice('session '.length);
    const next = await world.another();
    await until(() => inputs(world, sessionId).length === 3);
    await next.sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first', 'second', 'third']);
    expect(asked(world)).toHaveLength(3);
  });

  it('queued prompts are not lost when the server is killed while it accepts one into an empty queue', async () => {
    await using world = await hostWorld();
    const input = JSON.stringify({ env: world.env, cwd: world.project, killsItself: true });
    const child = startSource(CHILD, [input]);
    endWithTests(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    expect(await new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)))).toBe('SIGKILL');
    const sessionId = lines[0]!.slice('session '.length);
    const next = await world.another();
    await until(() => inputs(world, sessionId).length === 1);
    await next.sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first']);
  });

  it('queued prompts are refused if no restart would find them', async () => {
    await using world = await hostWorld();
    const { sessions } = world.host;
    mkdirSync(join(world.home, 'run'));
    writeFileSync(join(world.home, 'run', 'turns'), '');
    await expect(sessions.start({ text: 'first', name: 'lost' })).rejects.toMatchObject({ code: 'IO_FAILED' });
    expect(world.journal('lost').map(({ type }) => type)).not.toContain('queue.changed');
    unlinkSync(join(world.home, 'run', 'turns'));
    await sessions.prompt('lost', { text: 'second' });
    await sessions.wait('lost');
    expect(inputs(world, 'lost')).toEqual(['second']);
  });

  it('queued prompts are refused, and not kept in memory, while the process that took the session over has it', async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await hostWorld({ replies: [{ text: 'one', until: gate.promise }, { text: 'more' }] });
    const { sessions, sessionId, second, third } = await busy(world);
    const handed = sessions.handOver(sessionId, { wait: true });
    gate.resolve();
    await handed;
    const session = await openSession(world.host.app.store, sessionId, { log: silentLog });
    await expect(sessions.prompt(sessionId, { text: 'fourth' })).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    expect((await sessions.queue(sessionId)).map(({ promptId }) => promptId)).toEqual([
      second.promptId,
      third.promptId,
    ]);
    await session.close('exit');
    await sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first', 'second', 'third']);
  });

  it('queued prompts run as they were last changed, and not at all if they were removed, after the server ended', async () => {
    await using world = await hostWorld({ replies: REPLIES });
    const { sessions, sessionId, second, third } = await busy(world);
    await sessions.editQueued(sessionId, third.promptId, { text: 'third, in other words' });
    await sessions.removeQueued(sessionId, second.promptId);
    await world.host.close();
    const next = await world.another();
    await until(() => inputs(world, sessionId).length === 2);
    await next.sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first', 'third, in other words']);
  });

  it('queued prompts do not come back if their turn could not begin', async () => {
    await using world = await hostWorld({ replies: REPLIES });
    const { sessions, sessionId } = await busy(world);
    await sessions.prompt(sessionId, { text: 'look', attachments: ['/etc/hostname'] });
    await sessions.stop(sessionId);
    expect((await sessions.wait(sessionId)).error).toMatch(/^POLICY_DENIED/);
    const session = await reopened(world, sessionId);
    expect(session.states.queue.prompts).toEqual([]);
    await session.close('exit');
  });

  it('a prompt without a turn is reported with its reason after a restart, also for an unknown model', async () => {
    await using world = await hostWorld({ replies: REPLIES });
    const { sessions, sessionId, second, third } = await busy(world);
    for (const { promptId } of [second, third]) await sessions.removeQueued(sessionId, promptId);
    const refused = await sessions.prompt(sessionId, { text: 'look', attachments: ['/etc/hostname'] });
    const unknown = await sessions.prompt(sessionId, { text: 'look', provider: 'no-such' });
    await sessions.stop(sessionId);
    const before = await sessions.wait(sessionId);
    expect(before).toMatchObject({ status: 'failed', error: expect.stringMatching(/^PROVIDER_UNKNOWN/) });
    const errors = world.journal(sessionId).flatMap(({ data }) => (data.errors as { promptId: string }[]) ?? []);
    expect(errors).toEqual([
      { promptId: refused.promptId, code: 'POLICY_DENIED', message: expect.any(String) },
      { promptId: unknown.promptId, code: 'PROVIDER_UNKNOWN', message: expect.any(String) },
    ]);
    await sessions.handOver(sessionId);
    await world.host.close();
    const after = await (await world.another()).sessions.snapshot(sessionId);
    const { status, error, transitions, startedAt, endedAt } = before;
    expect(after).toMatchObject({ status, error, transitions, startedAt });
    expect([endedAt, after.endedAt]).toEqual([undefined, undefined]);
  });

  it('a prompt whose session cannot be opened with its model leaves the journal, and the next one runs', async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await hostWorld({ replies: [{ text: 'one', until: gate.promise }, { text: 'more' }] });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await until(() => asked(world).length === 1);
    await sessions.prompt(sessionId, { text: 'second', provider: 'no-such' });
    const handed = sessions.handOver(sessionId, { wait: true });
    gate.resolve();
    await handed;
    const session = await openSession(world.host.app.store, sessionId, { log: silentLog });
    await session.close('exit');
    await sessions.wait(sessionId);
    expect(await sessions.queue(sessionId)).toEqual([]);
    await until(() => JSON.stringify(world.journal(sessionId)).includes('"code":"PROVIDER_UNKNOWN"'));
    await sessions.prompt(sessionId, { text: 'third', provider: 'ollama' });
    await sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first', 'third']);
  });

  it('a prompt that awaits its user at a terminal is shown, never run by a server, and runs once it is edited', async () => {
    await using world = await hostWorld({ replies: [{ text: 'ok' }] });
    const { sessions } = world.host;
    const { sessionId } = await sessions.start({ text: 'first' });
    await sessions.wait(sessionId);
    await sessions.handOver(sessionId);
    const session = await openSession(world.host.app.store, sessionId, { log: silentLog });
    const typed = { promptId: 'typed', text: 'draft', queuedAt: new Date().toISOString(), awaits: 'user' } as const;
    await session.append({ type: 'queue.changed', data: { added: [typed] } });
    expect(await sessions.queue(sessionId)).toMatchObject([{ promptId: 'typed', awaits: 'user' }]);
    await session.close('exit');
    const { ahead } = await sessions.prompt(sessionId, { text: 'second' });
    expect(ahead).toBe(0);
    expect(await sessions.wait(sessionId)).toMatchObject({ status: 'completed' });
    expect(inputs(world, sessionId)).toEqual(['first', 'second']);
    expect(await sessions.queue(sessionId)).toMatchObject([{ promptId: 'typed', awaits: 'user' }]);
    expect(await sessions.editQueued(sessionId, 'typed', { text: 'third' })).not.toHaveProperty('awaits');
    await sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first', 'second', 'third']);
  });

  it('a prompt keeps its author and its client over a restart', async () => {
    await using world = await hostWorld({ replies: REPLIES });
    const { sessions, sessionId } = await busy(world);
    const by = { author: 'bob', address: '127.0.0.9' };
    await sessions.prompt(sessionId, { text: 'fourth', by });
    await world.host.close();
    const after = await (await world.another()).sessions.queue(sessionId);
    expect(after.find(({ text }) => text === 'fourth')?.by).toEqual(by);
  });

  it('a secret in a queued prompt is reported once, at its redaction', async () => {
    await using world = await hostWorld({ replies: REPLIES });
    const { sessions, sessionId, second, third } = await busy(world);
    for (const { promptId } of [second, third]) await sessions.removeQueued(sessionId, promptId);
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await sessions.prompt(sessionId, { text: `use ${secret}` });
    await sessions.stop(sessionId);
    await sessions.wait(sessionId);
    const events = world.journal(sessionId);
    expect(events.filter(({ type }) => type === 'secret.redacted')).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(asked(world).at(-1)).not.toContain(secret);
  });

  it('queued prompts do not run twice if a different process ran or removed them while it held the session', async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await hostWorld({ replies: [{ text: 'one', until: gate.promise }, { text: 'more' }] });
    const { sessions, sessionId, second, third } = await busy(world);
    const handed = sessions.handOver(sessionId, { wait: true });
    gate.resolve();
    await handed;
    const session = await openSession(world.host.app.store, sessionId, { log: silentLog });
    expect(session.states.queue.prompts.map(({ promptId }) => promptId)).toEqual([second.promptId, third.promptId]);
    await session.append({ type: 'queue.changed', data: { removed: [second.promptId] } });
    await session.close('exit');
    await sessions.wait(sessionId);
    expect(inputs(world, sessionId)).toEqual(['first', 'third']);
  });

  it('queued prompts continue in the session that continues a full one, and no longer wait in the full one', async () => {
    const gate = Promise.withResolvers<void>();
    const replies = [{ text: 'one', until: gate.promise }, { text: 'more' }];
    await using world = await hostWorld({ replies, env: { OLLM_RETENTION__MAX_ITEMS: '2' } });
    const { sessions, sessionId, second, third } = await busy(world);
    gate.resolve();
    await until(() => asked(world).length >= 3);
    // By a client that has not heard of it.
    const fourth = await sessions.prompt(sessionId, { text: 'fourth' });
    expect(fourth.sessionId).not.toBe(sessionId);
    expect((await sessions.wait(sessionId)).sessionId).not.toBe(sessionId);
    expect(asked(world).map((text) => text.split('\n').at(-1))).toEqual(['first', 'second', 'third', 'fourth']);
    await world.host.close();
    // Includes the prompt of the next turn: a server that is killed before that turn begins loses no prompt.
    const kept = world.journal(`${sessionId}-2`).find(({ type }) => type === 'queue.changed')?.data.added;
    expect((kept as { promptId: string }[]).map(({ promptId }) => promptId)).toEqual([second.promptId, third.promptId]);
    const session = await openSession(world.host.app.store, sessionId, { log: silentLog });
    expect(session.states.queue.prompts).toEqual([]);
    await session.close('exit');
    expect(await sessions.queue(sessionId)).toEqual([]);
  });

  it('queued prompts do not run twice if a server was killed before they were removed from the full session', async () => {
    const gate = Promise.withResolvers<void>();
    const replies = [{ text: 'one', until: gate.promise }, { text: 'more' }];
    const env = { OLLM_RETENTION__MAX_ITEMS: '2' };
    await using world = await hostWorld({ replies, env });
    const { sessionId } = await busy(world);
    gate.resolve();
    await until(() => asked(world).length >= 3);
    await world.host.close();
    const { added } = world.journal(`${sessionId}-2`).find(({ type }) => type === 'queue.changed')!.data;
    const session = await openSession(world.host.app.store, sessionId, { log: silentLog });
    await session.append({ type: 'queue.changed', data: { added: added as never } });
    await session.close('exit');
    writeFileSync(join(world.home, 'run', 'turns', sessionId), '');
    const next = await world.another();
    await until(() => {
      const { running, queued } = next.figures().turns;
      return running + queued === 0 && !existsSync(join(world.home, 'run', 'turns', sessionId));
    });
    await next.close();
    expect(asked(world).map((text) => text.split('\n').at(-1))).toEqual(['first', 'second', 'third']);
  });
});

async function reopened(world: HostWorld, id: string) {
  await world.host.sessions.handOver(id);
  return openSession(world.host.app.store, id, { log: silentLog });
}
