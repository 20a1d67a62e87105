import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Delivery } from '../../lib/host/port/followers.ts';
import { until } from '../support/until.ts';
import { follow, hostWorld } from './world.ts';

const seqs = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

describe('a client that follows a session', () => {
  it('is sent the stored events and the new ones, each once', async () => {
    await using world = await hostWorld({ replies: [{ text: 'one' }, { text: 'two' }] });
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'first' });
    await host.sessions.wait(sessionId);
    const all = follow(host, sessionId, 'start');
    await all.event('turn.ended');
    await host.sessions.prompt(sessionId, { text: 'second' });
    await all.event('turn.ended', 2);
    expect(all.ids()).toEqual(seqs(0, all.ids().length - 1));
    expect(all.ids().length).toBe(world.journal(sessionId).length);
  });

  it('returns by its last id, and has missed nothing', async () => {
    await using world = await hostWorld();
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'first' });
    const first = follow(host, sessionId, 'start');
    await first.event('turn.started');
    await first.leave();
    await host.sessions.wait(sessionId);
    const second = follow(host, sessionId, first.ids().at(-1));
    await second.event('turn.ended');
    await second.until(() => second.ids().length + first.ids().length === world.journal(sessionId).length);
    expect([...first.ids(), ...second.ids()]).toEqual(seqs(0, world.journal(sessionId).length - 1));
  });

  it('sees the queued prompts of a session that a second server runs, as they come and go', async () => {
    const gate = Promise.withResolvers<void>();
    const last = { text: 'ok' };
    await using world = await hostWorld({ replies: [{ text: 'one', until: gate.promise }, last, last] });
    const other = await world.another();
    const { sessionId } = await other.sessions.start({ text: 'first' });
    await other.sessions.prompt(sessionId, { text: 'second' });
    const client = follow(world.host, sessionId);
    const waiting = () =>
      client
        .signals<{ queue: { text: string }[] }>('queue')
        .at(-1)
        ?.queue.map(({ text }) => text);
    await client.until(() => waiting()?.join() === 'second');
    await other.sessions.prompt(sessionId, { text: 'third' });
    await client.until(() => waiting()?.join() === 'second,third');
    gate.resolve();
    await client.until(() => waiting()?.length === 0);
  });

  it('is given the beginning of an answer if it comes in the middle', async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await hostWorld({ replies: [{ text: 'Roses ', until: gate.promise, rest: 'are red' }] });
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'Go' });
    const early = follow(host, sessionId);
    await early.until(() => early.text() === 'Roses ');
    const late = follow(host, sessionId);
    await late.until(() => late.text() === 'Roses ');
    expect(late.items.some(({ kind }) => kind === 'partial')).toBe(true);
    gate.resolve();
    const shown = { early: '', late: '' };
    await until(() => {
      shown.early = early.text() || shown.early;
      shown.late = late.text() || shown.late;
      return [early, late].every((client) => client.types().includes('turn.ended'));
    });
    for (const client of [early, late]) {
      const deltas = client.signals<{ signal: { type: string; content: string } }>('turn');
      const text = deltas.flatMap(({ signal }) => (signal.type === 'delta' ? [signal.content] : [])).join('');
      expect(text).toBe(client === early ? 'Roses are red' : 'are red');
    }
  });

  it('is sent a signal after the events that were stored before it', async () => {
    await using world = await hostWorld();
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'first' });
    await host.sessions.wait(sessionId);
    const client = follow(host, sessionId);
    await client.until(({ items }) => items.length > 0);
    await host.sessions.prompt(sessionId, { text: 'second' });
    await client.until(() =>
      client.signals<{ signal: { type: string } }>('turn').some((each) => each.signal.type === 'done'),
    );
    const order = client.items.flatMap((item) => {
      if (item.kind === 'event') return [item.type];
      if (item.kind !== 'signal' || item.type !== 'turn') return [];
      return [(JSON.parse(item.data) as { signal: { type: string } }).signal.type];
    });
    expect(order.indexOf('turn.started')).toBeLessThan(order.indexOf('start'));
    expect(order.indexOf('turn.ended')).toBeLessThan(order.indexOf('done'));
    expect(order.indexOf('delta')).toBeLessThan(order.lastIndexOf('message.added'));
  });

  it('follows a session that a different process writes', async () => {
    await using world = await hostWorld();
    const { sessionId } = await world.host.sessions.start({ text: 'first' });
    await world.host.sessions.wait(sessionId);
    await world.host.sessions.handOver(sessionId);
    const client = follow(world.host, sessionId);
    await client.until(({ items }) => items.length > 0);
    const other = await world.another();
    await other.sessions.prompt(sessionId, { text: 'second' });
    await client.event('turn.ended');
    expect(client.signals('activity')).toEqual([]);
  });

  it('is told to return if the ring no longer has its position, and then misses nothing', async () => {
    const long = 'x'.repeat(3_000);
    await using world = await hostWorld({ replies: [{ text: long }], limits: { ringBytes: 4_000, sliceBytes: 1_000 } });
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'first' });
    await host.sessions.wait(sessionId);
    const leaving = new AbortController();
    const slow = host.followers.subscribe(sessionId, { signal: leaving.signal })[Symbol.asyncIterator]();
    const hello = await slow.next();
    const [{ head }] = hello.value as unknown as [{ head: string }];
    await slow.next();
    for (const text of ['second', 'third']) await host.sessions.prompt(sessionId, { text });
    const pending = slow.next();
    await host.sessions.wait(sessionId);
    await pending;
    let last = await slow.next();
    while (!last.done && last.value.at(-1)?.kind !== 'end') last = await slow.next();
    expect(last.value?.at(-1)).toMatchObject({ kind: 'end', reason: 'behind' });
    expect(host.figures().evictions).toBe(1);
    const back = follow(host, sessionId, head);
    await back.until(() => back.ids().length === world.journal(sessionId).length - 1 - Number(head));
    expect(back.ids()).toEqual(seqs(Number(head) + 1, world.journal(sessionId).length - 1));
  });

  it('misses nothing that happens before it asks for more', async () => {
    await using world = await hostWorld();
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'first' });
    await host.sessions.wait(sessionId);
    const { signal } = new AbortController();
    const pulled = host.followers.subscribe(sessionId, { signal })[Symbol.asyncIterator]();
    const hello = (await pulled.next()).value as unknown as readonly [{ readonly head: string }];
    await host.sessions.prompt(sessionId, { text: 'second' });
    await host.sessions.wait(sessionId);
    const ids: string[] = [];
    while (ids.length < world.journal(sessionId).length - 1 - Number(hello[0].head)) {
      const { value } = await pulled.next();
      for (const item of value ?? []) if (item.kind === 'event') ids.push(item.id);
    }
    expect(ids).toEqual(seqs(Number(hello[0].head) + 1, world.journal(sessionId).length - 1));
    await pulled.return?.();
  });

  it('costs no reading of its own: each of a thousand is handed the same items', async () => {
    await using world = await hostWorld();
    const { host } = world;
    const { sessionId } = await host.sessions.start({ text: 'first' });
    await host.sessions.wait(sessionId);
    const clients = Array.from({ length: 1_000 }, () => follow(host, sessionId));
    await until(() => clients.every(({ items }) => items.length > 0));
    expect(host.figures()).toMatchObject({ followers: 1, subscribers: 1_000, evictions: 0 });
    await host.sessions.prompt(sessionId, { text: 'second' });
    await until(() => clients.every((client) => client.types().includes('turn.ended')));
    const live = ({ items }: (typeof clients)[number]) => items.filter(({ kind }) => kind === 'event');
    const [first] = clients;
    for (const client of clients) {
      const items = live(client);
      expect(items.length).toBe(live(first!).length);
      expect(items.every((item, index) => item === live(first!)[index])).toBe(true);
    }
    for (const client of clients) await client.leave();
    expect(host.figures().subscribers).toBe(0);
  });

  it('is told if the event of its id no longer exists', async () => {
    await using world = await hostWorld();
    const { sessionId } = await world.host.sessions.start({ text: 'first' });
    await world.host.sessions.wait(sessionId);
    const client = follow(world.host, sessionId, '999');
    await client.event('turn.ended');
    expect(client.items.map(({ kind }) => kind).slice(0, 3)).toEqual(['hello', 'reset', 'event']);
    await expect(follow(world.host, sessionId, '../x').until(() => false)).rejects.toThrow('not the id of an event');
  });

  it('is told that the session failed if the missed events can no longer be read', async () => {
    await using world = await hostWorld();
    const { sessionId } = await world.host.sessions.start({ text: 'first' });
    await world.host.sessions.wait(sessionId);
    // The follower begins at the end: earlier events come from the file, in pieces.
    const other = await world.another({ sliceBytes: 1 });
    const { signal } = new AbortController();
    const pulled = other.followers.subscribe(sessionId, { after: 'start', signal })[Symbol.asyncIterator]();
    for (const kind of ['hello', 'event']) expect((await pulled.next()).value).toMatchObject([{ kind }]);
    const journal = join(world.home, 'session-data', `${sessionId}.jsonl`);
    renameSync(journal, `${journal}.away`);
    const [end] = (await pulled.next()).value as unknown as readonly Delivery[];
    expect(end).toMatchObject({ kind: 'end', data: expect.stringMatching(/"reason":"(?:failed|gone)"/) });
    expect(await pulled.next()).toEqual({ done: true, value: undefined });
    expect(other.figures().subscribers).toBe(0);
  });
});
