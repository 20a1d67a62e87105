import type { Delivery } from '../../lib/host/port/followers.ts';
import { SessionFeed } from '../../lib/server/session-feed.ts';

interface Sent {
  readonly sessions: readonly { readonly address: string; readonly title: string }[];
  readonly order: readonly string[];
  readonly counts?: { readonly total: number };
}

function feedOf(titles: () => Readonly<Record<string, string>>) {
  let looks = 0;
  const stopping = new AbortController();
  const feed = new SessionFeed({
    newest: async () => {
      looks += 1;
      const sessions = Object.entries(titles()).map(([address, title]) => ({ address, title }));
      return { sessions, total: sessions.length };
    },
    counts: async () => ({ total: Object.keys(titles()).length, projects: [], agents: [], days: [], unreadable: [] }),
    stopping: stopping.signal,
    onProblem(error) {
      throw error;
    },
  });
  return { feed, stopping, looks: () => looks };
}

const sentIn = async (deliveries: AsyncGenerator<readonly Delivery[], void, void>): Promise<Sent | undefined> => {
  const { value } = await deliveries.next();
  const [delivery] = value ?? [];
  return delivery?.kind === 'sessions' ? (JSON.parse(delivery.data) as Sent) : undefined;
};

describe('the changes of the list', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('begin with all rows, and then have only changed rows, in the present order', async () => {
    let titles: Record<string, string> = { oak: 'An oak', elm: 'An elm' };
    const { feed } = feedOf(() => titles);
    const leaving = new AbortController();
    const client = feed.follow(leaving.signal);
    expect(await sentIn(client)).toEqual({
      sessions: [
        { address: 'oak', title: 'An oak' },
        { address: 'elm', title: 'An elm' },
      ],
      order: ['oak', 'elm'],
      counts: { total: 2, projects: [], agents: [] },
    });
    titles = { elm: 'An elm in leaf', oak: 'An oak' };
    const next = sentIn(client);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await next).toEqual({ sessions: [{ address: 'elm', title: 'An elm in leaf' }], order: ['elm', 'oak'] });
    leaving.abort();
    expect(await client.next()).toEqual({ done: true, value: undefined });
  });

  it('are searched once for all clients, and not at all without a client', async () => {
    const { feed, looks } = feedOf(() => ({ oak: 'An oak' }));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(looks()).toBe(0);
    const leaving = new AbortController();
    const clients = [feed.follow(leaving.signal), feed.follow(leaving.signal), feed.follow(leaving.signal)];
    expect(await Promise.all(clients.map(sentIn))).toHaveLength(3);
    expect(looks()).toBe(1);
    const waiting = clients.map((client) => client.next());
    await jest.advanceTimersByTimeAsync(2_000);
    expect(looks()).toBe(2);
    leaving.abort();
    await Promise.all(waiting);
    const before = looks();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(looks()).toBe(before);
  });

  it('are up to date for a client that comes after a time without clients', async () => {
    let titles: Record<string, string> = { oak: 'An oak' };
    const { feed } = feedOf(() => titles);
    const leaving = new AbortController();
    const first = feed.follow(leaving.signal);
    await sentIn(first);
    const left = first.next();
    leaving.abort();
    await left;
    titles = { elm: 'An elm' };
    expect((await sentIn(feed.follow(new AbortController().signal)))?.order).toEqual(['elm']);
  });

  it('end with the server', async () => {
    const { feed, stopping } = feedOf(() => ({ oak: 'An oak' }));
    const client = feed.follow(new AbortController().signal);
    await sentIn(client);
    const next = client.next();
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('report an empty list', async () => {
    const { feed } = feedOf(() => ({}));
    const sent = await sentIn(feed.follow(new AbortController().signal));
    expect(sent).toEqual({ sessions: [], order: [], counts: { total: 0, projects: [], agents: [] } });
  });
});
