// A store on a server of NATS compared with the bare client, with a connection of its own and no options: appends next
// to its publish of the same bytes with the same expectation, a replay compared with its ordered consumer; by the
// processor time of this process. The server runs here, with a directory of its own.
import { batches } from '../../__tests__/support/generated-journals.ts';
import { CREATED, generatedEvents } from '../../__tests__/support/generated-session.ts';
import { CLIENT_FOLDER, missingServer, startNatsServer } from '../../__tests__/support/nats-server.ts';
import { natsStore } from '../../__tests__/support/nats-store.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { loadClient } from '../../lib/nats/client.ts';
import type { NatsSession } from '../../lib/nats/connection.ts';
import { HEADER } from '../../lib/nats/messages.ts';
import { readRecord } from '../../lib/nats/record.ts';
import type { Case } from '../case.ts';
import { perSecond, processorMilliseconds } from '../measure.ts';

const LINES = 50;

export const run: Case = async function* ({ size }) {
  const missing = missingServer();
  if (missing !== undefined) return yield { what: 'a store on a server of NATS', skipped: missing };
  await using closed = new AsyncDisposableStack();
  const server = closed.adopt(await startNatsServer({ lines: ['max_payload: 8MB'] }), (each) => each.dispose());
  const store = closed.adopt(natsStore({ servers: [server.url] }), (each) => each.disconnect());
  await store.prepare();
  const client = loadClient([CLIENT_FOLDER]);
  const connection = await client.connect({ servers: [server.url], name: 'bare' });
  closed.adopt(connection, (each) => each.close());
  const bare = { ...(await store.session()), js: client.jetstream(connection) };
  const rateOf = (amount: number, work: () => unknown) => perSecond(amount, work, processorMilliseconds);
  const unit = 'events/s';
  let sessions = 0;
  const nextId = () => `bench-${++sessions}`;

  /** A new session with these events. Opening and closing are not counted. */
  const append = async (all: Batches) => {
    const writer = await store.create(nextId(), CREATED);
    const appending = async () => {
      for (const batch of all) await writer.append(batch);
    };
    const rate = await rateOf(all.flat().length, appending)();
    await writer.close();
    return { id: writer.id, rate };
  };
  const publish = async (payloads: readonly Uint8Array[]) => {
    const subject = bare.layout.subject(nextId(), 'bare');
    let last = 0;
    for (const [index, payload] of payloads.entries()) {
      const headers = bare.headers();
      headers.set(HEADER.expected, String(last));
      const options = { headers, msgID: `${subject}.${index}`, timeout: 5_000, retries: 1 };
      last = (await bare.js.publish(subject, payload, options)).seq;
    }
  };
  const replay = async (id: string) => {
    using reader = store.openReader(id);
    for await (const batch of reader.outcomes())
      for (const outcome of batch) if (outcome.kind !== 'event') throw new Error(outcome.kind);
  };

  const events = [...generatedEvents(size(50_000, 500))];
  let id = '';
  for (const [name, all, goal] of [
    ['one a message', [...batches(events.slice(0, size(3_000, 100)), 1)], 0.8],
    [`batches of ${LINES}`, [...batches(events, LINES)], 0.7],
  ] as const) {
    ({ id } = await append(all));
    const messages = await Array.fromAsync(messagesOf(bare, id), (data) => new Uint8Array(data));
    // The first line comes before the batches, the last one after them.
    const payloads = messages.slice(1, all.length + 1);
    const ollm = async () => (await append(all)).rate;
    const published = rateOf(all.flat().length, () => publish(payloads));
    const against = [['publish of the same bytes, same expectation', published, goal]] as const;
    yield { what: `NATS: append, ${name}`, unit, ollm, against };
  }
  const ollm = rateOf(events.length, () => replay(id));
  const consume = rateOf(events.length, () => Array.fromAsync(messagesOf(bare, id), () => {}));
  const against = [['an ordered consumer of the client', consume, 0.7]] as const;
  yield { what: `NATS: every event read and checked, batches of ${LINES}`, unit, ollm, against };
};

type Batches = readonly (readonly NewOllmEvent[])[];

/** What ollm does not use of the client. */
interface BareClient {
  readonly consumers: {
    get(stream: string, options: object): Promise<{ consume(options: object): Promise<Messages> }>;
  };
}

interface Messages extends AsyncIterable<{ readonly data: Uint8Array; readonly info: { readonly pending: number } }> {
  stop(): void;
}

async function* messagesOf(session: NatsSession, id: string): AsyncGenerator<Uint8Array> {
  const { live } = (await readRecord(session, id)).record;
  const { consumers } = session.js as unknown as BareClient;
  const consumer = await consumers.get(session.layout.stream, { filter_subjects: session.layout.subject(id, live!) });
  // By count: asked for bytes, the client is silent for half a minute where a message does not fit into the rest.
  const messages = await consumer.consume({ max_messages: 100 });
  for await (const { data, info } of messages) {
    yield data;
    if (info.pending === 0) break;
  }
  messages.stop();
}
