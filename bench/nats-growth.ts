// How a store on one server of NATS grows: makes that many sessions, and prints their cost, as one line of JSON.
//   TEST_NATS_DIR=… node bench/nats-growth.ts [--sessions 100000]
// Sessions have 11 events each. Times are of one try each: look at their order, not at their digits.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { missingServer, startNatsServer } from '../__tests__/support/nats-server.ts';
import { natsStore } from '../__tests__/support/nats-store.ts';

const EVENTS = 10;
const TOGETHER = 32;
const CREATED = { model: 'm', provider: 'p', ollm: '1.0.0' };

const { values } = parseArgs({ options: { sessions: { type: 'string', default: '100000' } } });
const missing = missingServer();
if (missing !== undefined) {
  console.error(`Needs a server of NATS, and ${missing}`);
  process.exit(2);
}
const sessions = Number(values.sessions);
const server = await startNatsServer();
const stores: ReturnType<typeof natsStore>[] = [];
/** As another process has it: nothing is remembered. */
const newStore = () => {
  const store = natsStore({ servers: [server.url] });
  stores.push(store);
  return store;
};

try {
  const store = newStore();
  await store.prepare();
  let next = 0;
  const fill = async () => {
    for (let index = next++; index < sessions; index = next++) {
      const writer = await store.create(idOf(index), CREATED);
      const text = `${index} `.padEnd(400, 'x');
      await writer.append(Array.from({ length: EVENTS }, () => ({ type: 'message.added' as const, data: { text } })));
      await writer.close();
      if (index % 1000 === 0) process.stderr.write(`${index} of ${sessions}\n`);
    }
  };
  const makingMs = await timed(() => Promise.all(Array.from({ length: TOGETHER }, fill)));
  const { streams, layout } = await store.session();
  const [journals, names] = await Promise.all([streams.info(layout.stream), streams.info(layout.namesStream)]);
  const memory = memoryOf(server.pid);
  const middle = idOf(Math.floor(sessions / 2));
  const fresh = newStore();
  await fresh.session();
  const firstListMs = await timed(() => fresh.list());
  const nextListMs = await timed(() => fresh.list());
  const openMs = await timed(async () => (await fresh.openWriter(middle)).close());
  const readMs = await timed(async () => {
    const reader = fresh.openReader(middle);
    await Array.fromAsync(reader.outcomes());
    reader.close();
  });
  for (const each of stores.splice(0)) await each.disconnect();
  await server.kill('SIGTERM');
  const restartMs = await timed(async () => {
    await server.start();
    await newStore().session();
  });
  const report = {
    sessions,
    makingMs,
    journals: { messages: journals.state.messages, bytes: journals.state.bytes },
    names: { messages: names.state.messages, bytes: names.state.bytes },
    memory,
    firstListMs,
    nextListMs,
    openMs,
    readMs,
    restartMs,
    memoryAfterRestart: memoryOf(server.pid),
  };
  console.log(JSON.stringify(report));
} finally {
  for (const each of stores) await each.disconnect();
  await server.dispose();
}

function idOf(index: number): string {
  return `session-${String(index).padStart(9, '0')}`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round((performance.now() - began) * 10) / 10;
}

/** Resident bytes; undefined where the system does not say. */
function memoryOf(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  } catch {
    return undefined;
  }
}
