// A reading of the stream: every message once and in order, whatever their sizes; and no more of them than are taken.
import type { Consumers } from '../../lib/nats/client.ts';
import type { NatsSession } from '../../lib/nats/connection.ts';
import { publish } from '../../lib/nats/publish.ts';
import { Pull } from '../../lib/nats/pull.ts';
import { sourceOf } from '../../lib/nats/stream-source.ts';
import { bytesOf } from '../../lib/nats/stream-writer.ts';
import { describeWithServer, type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { natsStore, newTenant } from '../support/nats-store.ts';

const LONG_MS = 60_000;

interface WithInfo {
  info(stream: string, name: string): Promise<{ readonly num_waiting: number; readonly num_pending: number }>;
}

describeWithServer('a reading of a stream', () => {
  let server: NatsServer;
  let store: ReturnType<typeof natsStore>;
  let session: NatsSession;
  let subject: string;
  /** Consumers that were made, by name. */
  let made: string[];
  beforeAll(async () => {
    server = await startNatsServer({ lines: ['max_payload: 4MB'] });
    store = natsStore({ servers: [server.url], tenant: newTenant() });
    await store.prepare();
    const own = await store.session();
    const add: Consumers['add'] = async (...args) => {
      const info = await own.consumers.add(...args);
      made.push(info.name);
      return info;
    };
    session = { ...own, consumers: { add, delete: (...args) => own.consumers.delete(...args) } };
  });
  afterAll(async () => {
    await store.disconnect();
    await server.dispose();
  });
  let subjects = 0;
  beforeEach(() => {
    made = [];
    subjects += 1;
    subject = session.layout.subject(`s${subjects}`, 'a');
  });

  async function fill(sizes: readonly number[]): Promise<Buffer> {
    const all: Buffer[] = [];
    let [expected, offset] = [0, 0];
    for (const [index, size] of sizes.entries()) {
      const bytes = Buffer.alloc(size, `${index} `);
      expected = await publish(session, { subject, expected, offset, bytes, id: `${subject}.${index}` });
      offset += size;
      all.push(bytes);
    }
    return Buffer.concat(all);
  }

  it.each([
    ['that do not fill a portion', [700_000, 700_000, 700_000, 700_000]],
    ['larger than a portion', [10, 3_000_000, 10, 3_000_000, 3_000_000]],
    ['as large as a portion', [1024 * 1024 - 200, 1024 * 1024, 5]],
    ['in a large number', Array.from({ length: 2_500 }, (_, index) => 1 + (index % 7))],
    ['with some empty ones', [10, 0, 0, 10, 0]],
  ])('gives messages %s, with one consumer', async (_, sizes) => {
    const all = await fill(sizes);
    const source = (await sourceOf(session, subject))!;
    const read = Buffer.concat(await Array.fromAsync(bytesOf(source, 0, all.length)));
    source.close();
    expect(read.equals(all)).toBe(true);
    // A silent one would be replaced by a second one.
    expect(made.length).toBeLessThanOrEqual(1);
  });

  it('requests only the portions that are read', async () => {
    const SIZE = 100_000;
    await fill(Array.from({ length: 60 }, () => SIZE));
    const pull = await Pull.begin(session, subject, 1);
    const { consumers } = (await store.session()) as unknown as { consumers: WithInfo };
    const waiting = () => consumers.info(session.layout.stream, made[0]!);
    let info = await waiting();
    while (info.num_waiting > 0) info = await waiting();
    // Two portions under way, and a third that was asked for before the first was full.
    expect(info.num_pending).toBeGreaterThanOrEqual(60 - Math.ceil((3 * 1024 * 1024) / SIZE));
    let count = 0;
    for (; count < 60; count += 1) {
      if (!(await pull.arrival(LONG_MS))) break;
      expect(pull.take()?.data.length).toBe(SIZE);
    }
    expect(count).toBe(60);
    pull.end();
  });

  it('ends when its consumer was removed, and continues at its position', async () => {
    const all = await fill(Array.from({ length: 40 }, () => 100_000));
    const source = (await sourceOf(session, subject))!;
    const chunks = bytesOf(source, 0, all.length);
    const first = await chunks.next();
    await session.consumers.delete(session.layout.stream, made[0]!);
    const rest = await Array.fromAsync(chunks);
    source.close();
    expect(Buffer.concat([first.value as Buffer, ...rest]).equals(all)).toBe(true);
  });
});
