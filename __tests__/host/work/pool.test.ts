import { isOllmError, type OllmError } from '../../../lib/errors/index.ts';
import { sessionsDirectory, writeJournal } from '../../support/generated-journals.ts';
import { until } from '../../support/until.ts';
import { type HostWorld, hostWorld, type WorldOptions } from '../world.ts';

async function withSession(options: WorldOptions = {}): Promise<{ world: HostWorld; id: string }> {
  const world = await hostWorld({ replies: [{ text: 'An append-only file. '.repeat(200) }], ...options });
  const { sessionId } = await world.host.sessions.start({ text: 'What is a journal?' });
  await world.host.sessions.wait(sessionId);
  return { world, id: sessionId };
}

const LONG = { reference: 'long', format: 'jsonl' } as const;

/** An export of it has several pieces. */
async function withLongSession(limits: WorldOptions['limits']): Promise<HostWorld> {
  const world = await hostWorld({ limits });
  await writeJournal(sessionsDirectory(world.home), 'long', { bytes: 1_000_000 });
  return world;
}

async function refusal(work: Promise<unknown>): Promise<OllmError> {
  try {
    await work;
  } catch (error) {
    if (isOllmError(error)) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

const textOf = async (pieces: AsyncIterable<Uint8Array>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(pieces)).toString();

describe('jobs in worker threads', () => {
  it('answer like the commands', async () => {
    const { world, id } = await withSession();
    await using _ = world;
    const { work } = world.host;
    const { rows } = await work.run('list', { agent: 'ollm' });
    expect(rows.map((row) => row.id)).toEqual([id]);
    const { hits } = await work.run('search', { text: 'append-only' });
    expect(hits.length).toBeGreaterThan(0);
    const { states } = await work.run('replay', { reference: id, states: ['summary'] });
    expect(states.summary).toMatchObject({ id, messageCount: 2 });
    expect((await work.run('show', { reference: id })).summary.turnCount).toBe(1);
  });

  it('stream an export piece by piece', async () => {
    const { world, id } = await withSession();
    await using _ = world;
    const text = await textOf(world.host.work.stream('export', { reference: id, format: 'md' }));
    expect(text).toContain('What is a journal?');
    expect(text.split('An append-only file.').length).toBeGreaterThan(200);
  });

  it('fail like the commands, with code, hint and data', async () => {
    await using world = await hostWorld();
    const missing = await refusal(world.host.work.run('show', { reference: 'no-such' }));
    expect(missing).toMatchObject({ code: 'SESSION_NOT_FOUND', data: { reference: 'no-such' } });
    const stream = world.host.work.stream('export', { reference: 'no-such', format: 'md' });
    expect((await refusal(textOf(stream))).code).toBe('SESSION_NOT_FOUND');
  });

  it('are refused with a time to return if the waiting list is full', async () => {
    const { world, id } = await withSession({ limits: { threads: 1, waitingJobs: 1 } });
    await using _ = world;
    const jobs = Array.from({ length: 3 }, () => world.host.work.run('show', { reference: id }));
    const busy = await refusal(jobs[2]!);
    expect(busy.code).toBe('BUSY');
    expect(busy.data.retryAfterMs).toBeGreaterThan(0);
    await Promise.all(jobs.slice(0, 2));
    expect(world.host.figures().work).toEqual({ running: 0, waiting: 0, refused: 1 });
    await world.host.work.run('show', { reference: id });
  });

  it('have a thread for pages and one for lists, which wait for no other job', async () => {
    const { world, id } = await withSession({ limits: { threads: 1, waitingJobs: 1 } });
    await using _ = world;
    const { work } = world.host;
    const jobs = Array.from({ length: 2 }, () => work.run('show', { reference: id }));
    expect((await refusal(work.run('show', { reference: id }))).code).toBe('BUSY');
    const page = { reference: id, from: 0, limit: 100 };
    const many = Array.from({ length: 20 }, () => work.run('messages', page));
    const { json } = await work.run('history', { ...page, withMessages: true });
    const { data } = JSON.parse(Buffer.from(json).toString()) as { data: Record<string, { seq: number }[]> };
    const { entries, messages } = data;
    const stored = world.journal(id).map((line) => ({ ...line, prev: undefined, xxh64: undefined }));
    expect(entries).toEqual(stored);
    expect(messages!.length).toBeGreaterThan(1);
    expect((await work.run('listPage', { limit: 10 })).rows.map((row) => row.id)).toEqual([id]);
    await Promise.all([...jobs, ...many]);
  });

  it('stream snapshots one by one, each equal to a single snapshot', async () => {
    // Held: closing the session would add an event between two snapshots.
    const { world, id } = await withSession({ limits: { holdMs: 600_000 } });
    await using _ = world;
    const { sessions, work } = world.host;
    const asked = await Promise.all([...sessions.lately(), id].map((each) => sessions.snapshotOf(each)));
    const gone = { ...asked[0]!, id: 'gone' };
    const pieces = await Array.fromAsync(work.stream('snapshots', [gone, ...asked]));
    const [one, other] = pieces.map((piece) => JSON.parse(Buffer.from(piece).toString()) as object);
    expect(pieces.length).toBe(2);
    expect(one).toEqual(other);
    expect(one).toMatchObject(JSON.parse(JSON.stringify(await sessions.snapshot(id))));
  });

  it('are stopped by their caller, and by their time limit, and the next job finds a thread', async () => {
    const { world, id } = await withSession({ limits: { threads: 1 } });
    await using _ = world;
    const { work } = world.host;
    const stopping = new AbortController();
    const stopped = refusal(work.run('show', { reference: id }, { signal: stopping.signal }));
    stopping.abort();
    expect((await stopped).code).toBe('INTERRUPTED');
    expect((await refusal(work.run('list', {}, { timeLimitMs: 1 }))).code).toBe('TIME_LIMIT');
    expect((await work.run('show', { reference: id })).id).toBe(id);
  });

  it('end a stream whose reader leaves in the middle', async () => {
    const { world, id } = await withSession({ limits: { threads: 1 } });
    await using _ = world;
    for await (const _piece of world.host.work.stream('export', { reference: id, format: 'html' })) break;
    await until(() => world.host.figures().work.running === 0);
    expect((await world.host.work.run('show', { reference: id })).id).toBe(id);
  });

  it('run next to a stream whose reader takes nothing', async () => {
    await using world = await withLongSession({ threads: 1, streams: 1 });
    const { work } = world.host;
    const slow = work.stream('export', LONG);
    await slow.next();
    expect((await work.run('show', LONG)).id).toBe('long');
    // It had more to send: its thread was not free.
    expect((await textOf(slow)).length).toBeGreaterThan(100_000);
  });

  it('give the place of a reader that takes nothing to the next stream', async () => {
    await using world = await withLongSession({ threads: 1, streams: 1, stalledMs: 20 });
    const { work } = world.host;
    const slow = work.stream('export', LONG);
    await slow.next();
    expect((await textOf(work.stream('export', LONG))).length).toBeGreaterThan(100_000);
    expect((await refusal(textOf(slow))).code).toBe('TIME_LIMIT');
  });

  it('are not begun for a caller that left while waiting', async () => {
    const { world, id } = await withSession({ limits: { threads: 1 } });
    await using _ = world;
    const { work } = world.host;
    const leaving = new AbortController();
    const first = work.run('show', { reference: id });
    const second = refusal(work.run('show', { reference: id }, { signal: leaving.signal }));
    expect(world.host.figures().work).toMatchObject({ running: 1, waiting: 1 });
    leaving.abort();
    expect((await second).code).toBe('INTERRUPTED');
    expect(world.host.figures().work.waiting).toBe(0);
    await first;
  });
});
