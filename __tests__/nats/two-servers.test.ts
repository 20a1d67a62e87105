// Two `ollm serve`, each with a home of its own as on two machines, on one stream: a session of one is visible and can
// be continued at the other, and only one of them writes it at a time.
import type { Home } from '../support/cli.ts';
import { EventClient } from '../support/event-source.ts';
import { homeOnServers } from '../support/nats-home.ts';
import { describeWithServer, type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { natsStore, newTenant } from '../support/nats-store.ts';
import { atRest, type Served, serve } from '../support/served.ts';
import { until } from '../support/until.ts';

const asking = (prompt: string) => ({ prompt, answerer: 'offline' });
async function said(server: Served, id: string): Promise<string[]> {
  const { messages } = await server.data(`/api/llm/sessions/${id}/messages`);
  return messages
    .filter(({ type }: { type: string }) => type === 'user_message')
    .map(({ text }: { text: string }) => text);
}

describeWithServer('two servers on one stream', () => {
  let nats: NatsServer;
  let homes: [Home, Home];
  let tenant: string;
  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterAll(() => nats.dispose());
  beforeEach(async () => {
    tenant = newTenant();
    const address = `${nats.url}/${tenant}`;
    homes = [homeOnServers(address), homeOnServers(address)];
    expect((await homes[0].run(['store', 'prepare'])).exitCode).toBe(0);
  });
  afterEach(() => {
    for (const home of homes) home[Symbol.dispose]();
  });

  it('show and continue each other’s sessions, and report events once they are stored', async () => {
    await using one = await serve(homes[0]);
    await using other = await serve(homes[1]);
    expect((await one.post('/api/llm/sessions', { ...asking('hello from one'), name: 'oak' })).status).toBe(202);
    await atRest(one, 'oak');
    await until(async () =>
      (await other.data('/api/llm/sessions')).sessions.some(({ id }: { id: string }) => id === 'oak'),
    );

    const watching = await new EventClient(one, '/api/llm/sessions/oak/events?from=0').open();
    await watching.type('turn.ended');
    // The one gives the session up, and the other continues with it.
    expect((await one.post('/api/llm/sessions/oak/hand-over')).body.data).toEqual({ kind: 'free' });
    expect((await other.post('/api/llm/sessions/oak/turns', asking('hello from other'))).status).toBe(202);
    await atRest(other, 'oak');
    await watching.type('turn.ended', 2);
    watching.close();
    const seqs = watching.seqs();
    expect(seqs).toEqual(seqs.map((_, index) => index));
    expect(await said(one, 'oak')).toEqual(['hello from one', 'hello from other']);
    expect(await said(other, 'oak')).toEqual(['hello from one', 'hello from other']);
  });

  it('write a session one at a time, and the remaining one continues when the other was killed', async () => {
    await using one = await serve(homes[0]);
    await using other = await serve(homes[1]);
    await one.post('/api/llm/sessions', { ...asking('hello from one'), name: 'oak' });
    await atRest(one, 'oak');
    const refused = await other.post('/api/llm/sessions/oak/turns', asking('too early'));
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { code: 'SESSION_LOCKED', details: { holder: { pid: one.child.pid } } } },
    });

    await one.end('SIGKILL');
    // The lease of a process that has ended on this host is not waited for.
    expect((await other.post('/api/llm/sessions/oak/turns', asking('hello from other'))).status).toBe(202);
    await atRest(other, 'oak');
    expect(await said(other, 'oak')).toEqual(['hello from one', 'hello from other']);
    await other.end();
    expect((await homes[1].run(['verify', 'oak'])).exitCode).toBe(0);
  });

  it('are kept apart by the stream if both believe that they own the session', async () => {
    await using one = await serve(homes[0]);
    await using other = await serve(homes[1]);
    await one.post('/api/llm/sessions', { ...asking('hello from one'), name: 'oak' });
    await atRest(one, 'oak');
    const store = natsStore({ servers: [nats.url], tenant });
    await (await store.session()).names.purge('lease.oak');
    await store.disconnect();

    expect((await other.post('/api/llm/sessions/oak/turns', asking('hello from other'))).status).toBe(202);
    await atRest(other, 'oak');
    // It lost its lease, whether it has noticed or not, and cannot store the prompt.
    const late = await one.post('/api/llm/sessions/oak/turns', asking('late'));
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'SESSION_LOCKED' } } });
    expect((await other.post('/api/llm/sessions/oak/turns', asking('other again'))).status).toBe(202);
    await atRest(other, 'oak');
    await other.post('/api/llm/sessions/oak/hand-over');
    await until(async () => (await one.post('/api/llm/sessions/oak/turns', asking('one again'))).status === 202);
    await atRest(one, 'oak');
    const heard = await said(one, 'oak');
    expect(heard).toEqual(await said(other, 'oak'));
    expect(heard).toEqual(['hello from one', 'hello from other', 'other again', 'one again']);
    expect((await homes[0].run(['verify', 'oak'])).exitCode).toBe(0);
  });
});
