// How a store on one server of NATS grows: makes that many sessions, and prints their cost, as one line of JSON.
//   TEST_NATS_DIR=… node bench/nats-growth.ts [--sessions 100000]
// Sessions have 11 events each. Times are of one try each: look at their order, not at their digits. On Linux.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CREATED } from '../__tests__/support/generated-session.ts';
import { missingServer, startNatsServer } from '../__tests__/support/nats-server.ts';
import { natsStore } from '../__tests__/support/nats-store.ts';
import { milliseconds } from './measure.ts';

const EVENTS = 10;
const TOGETHER = 32;

const { values } = parseArgs({ options: { sessions: { type: 'string', default: '100000' } } });
const sessions = Number(values.sessions);
const missing = missingServer();
if (missing !== undefined) throw new Error(`Needs a server of NATS, and ${missing}`);
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
    if (index % 1000 === 0) process.stderr.write(`${index} of ${sessions}\n`);
  }
};
const makingMs = await milliseconds(() => Promise.all(Array.from({ length: TOGETHER }, fill)));
const { streams, layout } = await store.session();
const sizeOf = async (stream: string) => {
  const { messages, bytes } = (await streams.info(stream)).state;
  return { messages, bytes };
};
const stored = { journals: await sizeOf(layout.stream), names: await sizeOf(layout.namesStream) };
const memory = memoryOf(server.pid!);
const middle = idOf(Math.floor(sessions / 2));
const fresh = newStore();
await fresh.session();
const firstListMs = await milliseconds(() => fresh.list());
const nextListMs = await milliseconds(() => fresh.list());
const openMs = await milliseconds(async () => (await fresh.openWriter(middle)).close());
const readMs = await milliseconds(async () => {
  using reader = fresh.openReader(middle);
  await Array.fromAsync(reader.outcomes());
});
for (const each of [store, fresh]) await each.disconnect();
await server.kill('SIGTERM');
const restartMs = await milliseconds(async () => {
  await server.start();
  await newStore().session();
});
const times = { makingMs, firstListMs, nextListMs, openMs, readMs, restartMs };
console.log(JSON.stringify({ sessions, ...times, ...stored, memory, memoryAfterRestart: memoryOf(server.pid!) }));

function idOf(index: number): string {
  return `session-${String(index).padStart(9, '0')}`;
}

/** Resident bytes. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
