// A store on a server of NATS compared with the bare client, with a connection of its own and no options: appends next
// to its publish of the same bytes with the same expectation, a replay compared with its ordered consumer; by the
// clock, and by the processor time of this process, which other programs change less. The server runs here, with a
// directory of its own.
import { CLIENT_FOLDER, missingServer, startNatsServer } from '../../__tests__/support/nats-server.ts';
import { natsStore } from '../../__tests__/support/nats-store.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { JournalWriter } from '../../lib/journal/types.ts';
import { loadClient, type NatsConnection } from '../../lib/nats/client.ts';
import type { NatsSession } from '../../lib/nats/connection.ts';
import { HEADER } from '../../lib/nats/messages.ts';
import type { NatsStore } from '../../lib/nats/nats-store.ts';
import type { Case } from '../case.ts';
import { generatedEvents } from '../generated-session.ts';
import { milliseconds, processorMilliseconds, type Timed } from '../measure.ts';
import { batches } from '../sessions.ts';

const LINES = 50;
const CREATED = { model: 'm', provider: 'p', ollm: '1.0.0' };
let sessions = 0;

type Timer = (work: () => unknown) => Promise<number>;
const TIMERS: readonly (readonly [how: string, timer: Timer])[] = [
  ['', milliseconds],
  [', processor time', processorMilliseconds],
];

export const run: Case = async function* ({ size }) {
  const missing = missingServer();
  if (missing !== undefined) {
    yield { what: 'a store on a server of NATS', skipped: missing };
    return;
  }
  const server = await startNatsServer({ lines: ['max_payload: 8MB'] });
  const store = natsStore({ servers: [server.url] });
  let connection: NatsConnection | undefined;
  try {
    await store.prepare();
    const client = loadClient([CLIENT_FOLDER]);
    connection = await client.connect({ servers: [server.url], name: 'bare' });
    const session: NatsSession = { ...(await store.session()), js: client.jetstream(connection) };
    const events = [...generatedEvents(size(50_000, 500))];
    const single = [...batches(events.slice(0, size(3_000, 100)), 1)];
    const many = [...batches(events, LINES)];
    for (const [what, all, atLeast] of [
      ['one at a time', single, 0.8],
      [`batches of ${LINES}`, many, 0.7],
    ] as const) {
      const publish = await publishing(store, session, all);
      for (const [how, timer] of TIMERS) {
        yield {
          what: `NATS: append, ${what}${how}`,
          unit: 'events/s',
          subject: appending(store, all, timer),
          against: [{ name: 'publish of the same bytes, same expectation', atLeast, run: () => publish(timer) }],
        };
      }
    }
    for (const [what, all] of [
      [`batches of ${LINES}`, many],
      ['one a message', single],
    ] as const) {
      const id = await filled(store, all);
      for (const [how, timer] of TIMERS) {
        yield {
          what: `NATS: every event read and checked, ${what}${how}`,
          unit: 'MB/s',
          subject: replaying(store, id, timer),
          against: [{ name: 'an ordered consumer of the client', atLeast: 0.7, run: consuming(session, id, timer) }],
        };
      }
    }
  } finally {
    await connection?.close();
    await store.disconnect();
    await server.dispose();
  }
};

type Batches = readonly (readonly NewOllmEvent[])[];

async function filled(store: NatsStore, all: Batches): Promise<string> {
  const id = `bench-${++sessions}`;
  const writer = await store.create(id, CREATED);
  await appendAll(writer, all);
  await writer.close();
  return id;
}

async function appendAll(writer: JournalWriter, all: Batches): Promise<void> {
  for (const batch of all) await writer.append(batch);
}

function countOf(all: Batches): number {
  return all.reduce((sum, { length }) => sum + length, 0);
}

function appending(store: NatsStore, all: Batches, timer: Timer): Timed {
  return async () => {
    const writer = await store.create(`bench-${++sessions}`, CREATED);
    const ms = await timer(() => appendAll(writer, all));
    await writer.close();
    return countOf(all) / (ms / 1000);
  };
}

/** The messages that such appends make, published one after the other. */
async function publishing(
  store: NatsStore,
  session: NatsSession,
  all: Batches,
): Promise<(timer: Timer) => Promise<number>> {
  const messages: Uint8Array[] = [];
  const id = await filled(store, all);
  for await (const bytes of messagesOf(session, id)) messages.push(new Uint8Array(bytes));
  // The first line, and the batches after it.
  const payloads = messages.slice(1, all.length + 1);
  return async (timer) => {
    const subject = session.layout.subject(`bench-${++sessions}`, 'bare');
    let last = 0;
    const ms = await timer(async () => {
      for (const [index, payload] of payloads.entries()) {
        const headers = session.headers();
        headers.set(HEADER.expected, String(last));
        const options = { headers, msgID: `${subject}.${index}`, timeout: 5_000, retries: 1 };
        last = (await session.js.publish(subject, payload, options)).seq;
      }
    });
    return countOf(all) / (ms / 1000);
  };
}

async function subjectOf({ names, layout }: NatsSession, id: string): Promise<string> {
  const entry = await names.get(layout.recordKey(id));
  const { live } = JSON.parse(Buffer.from(entry!.value).toString()) as { live: string };
  return layout.subject(id, live);
}

/** What ollm does not use of the client. */
interface BareClient {
  readonly consumers: {
    get(
      stream: string,
      options: object,
    ): Promise<{
      consume(options: object): Promise<AsyncIterable<BareMessage> & { stop(): void }>;
    }>;
  };
}

interface BareMessage {
  readonly data: Uint8Array;
  readonly info: { readonly pending: number };
}

async function* messagesOf(session: NatsSession, id: string): AsyncGenerator<Uint8Array> {
  const { layout } = session;
  const js = session.js as unknown as BareClient;
  const consumer = await js.consumers.get(layout.stream, { filter_subjects: await subjectOf(session, id) });
  // By count: asked for bytes, the client is silent for half a minute where a message does not fit into the rest.
  const messages = await consumer.consume({ max_messages: 100 });
  for await (const { data, info } of messages) {
    yield data;
    if (info.pending === 0) break;
  }
  messages.stop();
}

function replaying(store: NatsStore, id: string, timer: Timer): Timed {
  return async () => {
    const reader = store.openReader(id);
    let bytes = 0;
    const ms = await timer(async () => {
      for await (const batch of reader.outcomes()) {
        for (const outcome of batch) if (outcome.kind === 'event') bytes += outcome.event.end - outcome.event.offset;
      }
    });
    reader.close();
    return bytes / 1000 / ms;
  };
}

function consuming(session: NatsSession, id: string, timer: Timer): Timed {
  return async () => {
    let bytes = 0;
    const ms = await timer(async () => {
      for await (const data of messagesOf(session, id)) bytes += data.length;
    });
    return bytes / 1000 / ms;
  };
}
