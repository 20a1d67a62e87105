// A client that does not read the stream of events it is sent.
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Delivery } from '../../lib/host/port/followers.ts';
import { sendEvents } from '../../lib/server/event-stream.ts';
import { UnreadBytes } from '../../lib/server/unread-bytes.ts';
import { until } from '../support/until.ts';

const SLICE = 'x'.repeat(60 * 1024);
/** More than the buffers of a connection on one machine hold. */
const MOST_BYTES = 256 * 1024 * 1024;

const hello = (head: number): Delivery => ({ kind: 'hello', data: '{}', head: String(head) });
const event = (seq: number, text = SLICE): Delivery => ({
  kind: 'event',
  id: String(seq),
  type: 'message.added',
  data: JSON.stringify({ text }),
});

/** Sends these to a client that takes nothing, and says how it ended. `taken`: how many were asked for. */
async function toDeafClient(deliveries: Iterable<Delivery>, patienceMs: number) {
  const clients = { open: 0, evicted: 0, unread: new UnreadBytes(MOST_BYTES) };
  let taken = 0;
  async function* batches() {
    for (const delivery of deliveries) {
      taken += 1;
      yield [delivery];
      await breathe();
    }
  }
  const { promise: answered, resolve: answer } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const outgoing = await answered;
  try {
    const followed = [{ sessionId: 'walk', place: 'start', deliveries: batches() }];
    await sendEvents(outgoing, followed, new AbortController(), { idOf: (_, id) => id, clients, patienceMs });
    return { taken, evicted: clients.evicted, open: clients.open, isCut: outgoing.destroyed };
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
}

function* events(head: number, text?: string): Generator<Delivery> {
  yield hello(head);
  for (let seq = 0; seq * SLICE.length < MOST_BYTES; seq += 1) yield event(seq, text);
}

it('a client that does not keep up with new events is cut off once 256 KiB wait in its socket', async () => {
  const { taken, ...how } = await toDeafClient(events(-1), 600_000);
  expect(how).toEqual({ evicted: 1, open: 0, isCut: true });
  expect(taken * SLICE.length).toBeLessThan(MOST_BYTES);
});

it('a client that catches up is awaited, and cut off after it has read nothing for long', async () => {
  const { taken, ...how } = await toDeafClient(events(Number.MAX_SAFE_INTEGER), 200);
  expect(how).toEqual({ evicted: 1, open: 0, isCut: true });
  expect(taken * SLICE.length).toBeLessThan(MOST_BYTES);
});

it('silent clients are cut off once all clients together have too much unread, and a reading one gets everything', async () => {
  // Four clients may hold as much as one may.
  const most = 1024 * 1024;
  const clients = { open: 0, evicted: 0, unread: new UnreadBytes(most) };
  const answers: ServerResponse[] = [];
  const server = createServer((_, response) => answers.push(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const joined = async () => {
    const client = connect(port, '127.0.0.1');
    client.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const count = answers.length;
    await until(() => answers.length > count);
    return { client, outgoing: answers.at(-1)! };
  };
  const deaf = [await joined(), await joined(), await joined(), await joined(), await joined(), await joined()];
  const reader = await joined();
  let text = '';
  reader.client
    .resume()
    .setEncoding('latin1')
    .on('data', (piece: string) => {
      text = (text + piece).slice(-100_000);
    });
  const held = () => answers.reduce((sum, { writableLength, destroyed }) => sum + (destroyed ? 0 : writableLength), 0);
  let highest = 0;
  const stop = new AbortController();
  async function* deliveries() {
    yield [hello(Number.MAX_SAFE_INTEGER)];
    for (let seq = 0; !stop.signal.aborted; seq += 1) {
      yield [event(seq)];
      highest = Math.max(highest, held());
      await breathe();
    }
    yield [event(0, 'the end')];
  }
  try {
    const streams = [...deaf, reader].map(({ outgoing }) =>
      sendEvents(outgoing, [{ sessionId: 'walk', place: 'start', deliveries: deliveries() }], new AbortController(), {
        ...{ idOf: (_, id) => id, clients, patienceMs: 600_000 },
      }),
    );
    await until(() => clients.evicted >= 2, 60_000);
    expect(reader.outgoing.destroyed).toBe(false);
    expect(highest).toBeLessThanOrEqual(most);
    stop.abort();
    await until(() => text.includes('the end'));
    for (const { client } of deaf) client.destroy();
    await Promise.all(streams);
    expect(clients.open).toBe(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
