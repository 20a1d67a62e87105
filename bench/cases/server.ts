// The server: what a thousand clients cost and how late the last of them is told, lists of many sessions,
// pages alongside a turn, and whether searches and exports hold up the thread that serves. Each has a limit. Memory and
// processor time are those of its process, on Linux.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sessionOf, sessionsDirectory, writeJournal } from '../../__tests__/support/generated-journals.ts';
import { writeManySessions } from '../../__tests__/support/many-sessions.ts';
import { follow, type Served } from '../../__tests__/support/served.ts';
import { until } from '../../__tests__/support/until.ts';
import type { Bench, Case } from '../case.ts';
import { type Contest, quantile } from '../measure.ts';
import { processorMs, residentMb, runProgram, startServer } from '../program.ts';

const TURNS = 5;
const LISTS = 20;
/** As many pages at once as a browser asks for. */
const PAGES_AT_ONCE = 6;
const HOUR_MS = 3_600_000;
const SESSIONS = '/api/llm/sessions';
const HAS_SYNCED = /^ollm_catalog_sync_seconds 0?\.?[0-9]*[1-9]/m;

export const run: Case = async function* (bench) {
  if (process.platform !== 'linux') return yield { what: 'the server', skipped: 'it is measured on Linux only' };
  const home = bench.home();
  const [count, events] = [bench.size(10_000, 20), bench.size(100_000, 2_000)];
  // Where the session was begun that has turns.
  mkdirSync(join(home, 'projects/bed-0'), { recursive: true });
  await writeManySessions(home, home, { count, ownEvery: 1, newestMs: Date.now() - HOUR_MS });
  await (await sessionOf(sessionsDirectory(home), 'long', events)).close('exit');
  await writeJournal(sessionsDirectory(home), 'large', { bytes: bench.size(50e6, 1e6) });
  runProgram(home, 'sync');
  await using server = await startServer(home);
  // It is idle once it has read all sessions.
  await until(async () => HAS_SYNCED.test(await textOf(server, '/metrics')));
  yield* clients(server, bench.size(1_000, 10));
  yield await lists(server, count);
  yield await pages(server, events, bench.size(10_000, 1_000));
  yield await searches(server, bench);
};

/** Their memory on a session each, and how late the last client of one session has an event of a turn. */
async function* clients(server: Served, count: number): AsyncGenerator<Contest> {
  const followed = (idOf: (index: number) => string, onText?: (text: string) => void) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => follow(server, `${SESSIONS}/${idOf(index)}/events`, onText)),
    );
  const idle = residentMb(server.child.pid!);
  const ofEach = await followed((index) => `s${index}`);
  const memory = residentMb(server.child.pid!) - idle;
  yield { what: `memory of ${count} clients on a session each`, unit: 'MB', ollm: memory, limit: 100 };
  for (const each of ofEach) each.leave();

  let [heard, latestMs] = [0, 0];
  const ofOne = await followed(
    () => 's0',
    (text) => {
      const event = /"ts":"([^"]+)","type":"turn.started"|"type":"turn.started","ts":"([^"]+)"/.exec(text);
      if (event === null) return;
      heard += 1;
      latestMs = Math.max(latestMs, Date.now() - Date.parse(event[1] ?? event[2]!));
    },
  );
  const waits: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    [heard, latestMs] = [0, 0];
    await speakTo(server);
    await until(() => heard === count);
    waits.push(latestMs);
  }
  const what = `an event, from its time to the last of ${count} clients, median of ${TURNS} turns`;
  yield { what, ollm: quantile(waits), limit: 250 };
  for (const each of ofOne) each.leave();
}

async function lists(server: Served, count: number): Promise<Contest> {
  const list = () => textOf(server, `${SESSIONS}?limit=100`);
  await list();
  const before = processorMs(server.child.pid!);
  for (let done = 0; done < LISTS; done++) await list();
  const ms = (processorMs(server.child.pid!) - before) / LISTS;
  const what = `a list of ${count.toLocaleString('en')} sessions without a change, processor time, mean of ${LISTS}`;
  return { what, ollm: ms, limit: 20 };
}

async function pages(server: Served, events: number, ms: number): Promise<Contest> {
  const path = () => `${SESSIONS}/long/history?from=${Math.floor(Math.random() * (events - 100))}&limit=100`;
  await textOf(server, path());
  const end = performance.now() + ms;
  let count = 0;
  const asking = async () => {
    for (; performance.now() < end; count++) await textOf(server, path());
  };
  const talking = async () => {
    while (performance.now() < end) await speakTo(server);
  };
  await Promise.all([talking(), ...Array.from({ length: PAGES_AT_ONCE }, asking)]);
  const what = `pages of 100 of ${events.toLocaleString('en')} events beside turns`;
  return { what, unit: '/s', ollm: (count * 1000) / ms, against: [['the goal', 200, 1]] };
}

async function searches(server: Served, { size }: Bench): Promise<Contest> {
  await textOf(server, '/api/llm/search?q=value');
  await lateMs(server);
  for (let round = size(10); round > 0; round--) {
    const paths = ['sessions/large/export?format=md', 'sessions/large/state?state=budget', 'search?q=value%20-nothing'];
    await Promise.all(paths.map((path) => textOf(server, `/api/llm/${path}`)));
  }
  const what = 'how late the thread that serves is beside searches and exports, 99 of 100';
  return { what, ollm: await lateMs(server), limit: 30 };
}

/** How late the thread that serves was since this was asked before, 99 of 100. */
async function lateMs(server: Served): Promise<number> {
  const figures = await textOf(server, '/metrics');
  return 1000 * Number(/^ollm_event_loop_delay_seconds\{quantile="0.99"\} (.*)$/m.exec(figures)?.[1]);
}

function speakTo(server: Served): Promise<string> {
  const body = { prompt: 'hello there', answerer: 'offline' };
  return textOf(server, '/api/llm/providers/ollm/sessions/s0/resume?wait=1', body);
}

/** With a body it is a POST. */
async function textOf(server: Served, path: string, body?: object): Promise<string> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(server.address + path, { ...post, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text;
}
