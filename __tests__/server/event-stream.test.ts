// A client of a stream of events that does not take what it is sent.
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Delivery } from '../../lib/host/port/followers.ts';
import { sendEvents } from '../../lib/server/event-stream.ts';

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
  const clients = { open: 0, evicted: 0 };
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

it('one that does not keep up with what happens is let go as soon as 256 KiB wait in its socket', async () => {
  const { taken, ...how } = await toDeafClient(events(-1), 600_000);
  expect(how).toEqual({ evicted: 1, open: 0, isCut: true });
  expect(taken * SLICE.length).toBeLessThan(MOST_BYTES);
}, 60_000);

it('one that is sent what it has missed is waited for, and let go where it takes nothing for long', async () => {
  const { taken, ...how } = await toDeafClient(events(Number.MAX_SAFE_INTEGER), 200);
  expect(how).toEqual({ evicted: 1, open: 0, isCut: true });
  expect(taken * SLICE.length).toBeLessThan(MOST_BYTES);
}, 60_000);
