// A store on a server of NATS compared with the bare client, with a connection of its own and no options: appends next
// to its publish of the same bytes with the same expectation, a replay compared with its ordered consumer; by the
// clock, and by the processor time of this process, which other programs change less. The server runs here, with a
// directory of its own.

import { batches } from '../../__tests__/support/generated-journals.ts';
import { CREATED, generatedEvents } from '../../__tests__/support/generated-session.ts';
import { CLIENT_FOLDER, missingServer, startNatsServer } from '../../__tests__/support/nats-server.ts';
import { natsStore } from '../../__tests__/support/nats-store.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { JournalWriter } from '../../lib/journal/types.ts';
import { loadClient } from '../../lib/nats/client.ts';
import type { NatsSession } from '../../lib/nats/connection.ts';
import { HEADER } from '../../lib/nats/messages.ts';
import type { NatsStore } from '../../lib/nats/nats-store.ts';
import type { Case } from '../case.ts';
import { type Contest, milliseconds, perSecond, processorMilliseconds } from '../measure.ts';

const LINES = 50;
const CLOCKS = [
  ['', milliseconds],
  [', processor time', processorMilliseconds],
] as const;
let sessions = 0;

export const run: Case = async function* ({ size }) {
  const missing = missingServer();
  if (missing !== undefined) return yield { what: 'a store on a server of NATS', skipped: missing };
  const server = await startNatsServer({ lines: ['max_payload: 8MB'] });
  const store = natsStore({ servers: [server.url] });
  await store.prepare();
  const client = loadClient([CLIENT_FOLDER]);
  const connection = await client.connect({ servers: [server.url], name: 'bare' });
  try {
    const bare = { ...(await store.session()), js: client.jetstream(connection) };
    const events = [...generatedEvents(size(50_000, 500))];
    const single = [...batches(events.slice(0, size(3_000, 100)), 1)];
    const many = [...batches(events, LINES)];
    yield* appends(store, bare, 'one at a time', single, 0.8);
    yield* appends(store, bare, `batches of ${LINES}`, many, 0.7);
    yield* replays(store, bare, `batches of ${LINES}`, many);
    yield* replays(store, bare, 'one a message', single);
  } finally {
    await connection.close();
    await store.disconnect();
    await server.dispose();
  }
};

type Batches = readonly (readonly NewOllmEvent[])[];

/** A new session with these events, and the bytes of its lines. */
async function filled(store: NatsStore, all: Batches) {
  const writer = await store.create(`bench-${++sessions}`, CREATED);
  for (const batch of all) await writer.append(batch);
  await writer.close();
  return { id: writer.id, bytes: writer.head.offset };
}

/** Compared with the messages that such appends make, published one after the other. */
async function* appends(
  store: NatsStore,
  bare: NatsSession,
  name: string,
  all: Batches,
  atLeast: number,
): AsyncGenerator<Contest> {
  const { id } = await filled(store, all);
  // The first line, and the batches after it.
  const payloads = (await Array.fromAsync(messagesOf(bare, id), (data) => new Uint8Array(data))).slice(
    1,
    all.length + 1,
  );
  const publish = async () => {
    const subject = bare.layout.subject(`bench-${++sessions}`, 'bare');
    let last = 0;
    for (const [index, payload] of payloads.entries()) {
      const headers = bare.headers();
      headers.set(HEADER.expected, String(last));
      const options = { headers, msgID: `${subject}.${index}`, timeout: 5_000, retries: 1 };
      last = (await bare.js.publish(subject, payload, options)).seq;
    }
  };
  const count = all.flat().length;
  for (const [how, clock] of CLOCKS) {
    const subject = async () => {
      const writer: JournalWriter = await store.create(`bench-${++sessions}`, CREATED);
      const append = async () => {
        for (const batch of all) await writer.append(batch);
      };
      const rate = await perSecond(count, append, clock)();
      await writer.close();
      return rate;
    };
    const floor = { name: 'publish of the same bytes, same expectation', run: perSecond(count, publish, clock) };
    yield { what: `NATS: append, ${name}${how}`, unit: 'events/s', subject, against: [{ ...floor, atLeast }] };
  }
}

async function* replays(store: NatsStore, bare: NatsSession, name: string, all: Batches): AsyncGenerator<Contest> {
  const { id, bytes } = await filled(store, all);
  let consumed = 0;
  const consume = async () => {
    consumed = 0;
    for await (const data of messagesOf(bare, id)) consumed += data.length;
  };
  const replay = async () => {
    const reader = store.openReader(id);
    for await (const batch of reader.outcomes())
      for (const outcome of batch) if (outcome.kind !== 'event') throw new Error(outcome.kind);
    reader.close();
  };
  await consume();
  for (const [how, clock] of CLOCKS) {
    const subject = perSecond(bytes / 1e6, replay, clock);
    const floor = { name: 'an ordered consumer of the client', run: perSecond(consumed / 1e6, consume, clock) };
    const what = `NATS: every event read and checked, ${name}${how}`;
    yield { what, unit: 'MB/s', subject, against: [{ ...floor, atLeast: 0.7 }] };
  }
}

/** What ollm does not use of the client. */
interface BareClient {
  readonly consumers: {
    get(stream: string, options: object): Promise<{ consume(options: object): Promise<Messages> }>;
  };
}

interface Messages extends AsyncIterable<{ readonly data: Uint8Array; readonly info: { readonly pending: number } }> {
  stop(): void;
}

async function* messagesOf({ names, layout, js }: NatsSession, id: string): AsyncGenerator<Uint8Array> {
  const entry = await names.get(layout.recordKey(id));
  const { live } = JSON.parse(Buffer.from(entry!.value).toString()) as { live: string };
  const { consumers } = js as unknown as BareClient;
  const consumer = await consumers.get(layout.stream, { filter_subjects: layout.subject(id, live) });
  // By count: asked for bytes, the client is silent for half a minute where a message does not fit into the rest.
  const messages = await consumer.consume({ max_messages: 100 });
  for await (const { data, info } of messages) {
    yield data;
    if (info.pending === 0) break;
  }
  messages.stop();
}
