// How a store on one server of NATS grows: the costs of that many sessions of 11 events next to those of a tenth of
// them. Times are of one try each: look at their order, not at their digits. On Linux.
import { CREATED } from '../../__tests__/support/generated-session.ts';
import { missingServer, startNatsServer } from '../../__tests__/support/nats-server.ts';
import { natsStore } from '../../__tests__/support/nats-store.ts';
import type { Case } from '../case.ts';
import { milliseconds } from '../measure.ts';
import { residentMb } from '../program.ts';

const EVENTS = 10;
const TOGETHER = 32;

export const run: Case = async function* ({ size }) {
  const missing = missingServer();
  if (missing !== undefined) return yield { what: 'a server of NATS with many sessions', skipped: missing };
  const [few, many] = [size(10_000, 10), size(100_000, 100)].map((count) => count.toLocaleString('en'));
  const fewer = await costsOf(size(10_000, 10));
  for (const [what, figure] of Object.entries(await costsOf(size(100_000, 100)))) {
    const [name, unit = 'ms'] = what.split(' in ');
    yield { what: `NATS, ${many} sessions: ${name}`, unit, ollm: figure, against: [[`${few} sessions`, fewer[what]!]] };
  }
};

async function costsOf(sessions: number): Promise<Readonly<Record<string, number>>> {
  await using closed = new AsyncDisposableStack();
  const server = closed.adopt(await startNatsServer(), (each) => each.dispose());
  /** As another process has it: nothing is remembered. */
  const newStore = () => closed.adopt(natsStore({ servers: [server.url] }), (each) => each.disconnect());

  const store = newStore();
  await store.prepare();
  const numbers = Array(sessions).keys();
  const fill = async () => {
    for (const index of numbers) {
      const writer = await store.create(idOf(index), CREATED);
      const text = `${index} `.padEnd(400, 'x');
      await writer.append(Array.from({ length: EVENTS }, () => ({ type: 'message.added' as const, data: { text } })));
      await writer.close();
    }
  };
  const making = await milliseconds(() => Promise.all(Array.from({ length: TOGETHER }, fill)));
  const { streams, layout } = await store.session();
  const megabytesIn = async (stream: string) => (await streams.info(stream)).state.bytes / 1e6;
  const [journals, names] = [await megabytesIn(layout.stream), await megabytesIn(layout.namesStream)];
  const memory = residentMb(server.pid!);
  const middle = idOf(Math.floor(sessions / 2));
  const fresh = newStore();
  await fresh.session();
  const firstList = await milliseconds(() => fresh.list());
  const nextList = await milliseconds(() => fresh.list());
  const opening = await milliseconds(async () => (await fresh.openWriter(middle)).close());
  const reading = await milliseconds(async () => {
    using reader = fresh.openReader(middle);
    await Array.fromAsync(reader.outcomes());
  });
  for (const each of [store, fresh]) await each.disconnect();
  await server.kill('SIGTERM');
  const restart = await milliseconds(async () => {
    await server.start();
    await newStore().session();
  });
  return {
    'making them': making,
    'the first list of a process': firstList,
    'the next list': nextList,
    'opening one for writing': opening,
    'reading one': reading,
    'a restart of the server': restart,
    'messages on the disk in MB': journals,
    'names on the disk in MB': names,
    'memory of the server in MB': memory,
    'memory after its restart in MB': residentMb(server.pid!),
  };
}

function idOf(index: number): string {
  return `session-${String(index).padStart(9, '0')}`;
}
