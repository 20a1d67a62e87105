// The server: its start, what a thousand clients cost and how late the last of them is told, pages alongside a turn,
// lists with many sessions of another program, and whether searches and exports hold up the thread that serves.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  openStore,
  sessionOf,
  sessionsDirectory,
  writeJournal,
  writeSessions,
} from '../../__tests__/support/generated-journals.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { openSession } from '../../lib/session/open.ts';
import type { Bench, Case } from '../case.ts';
import { claudePath, claudeTalk, writeClaude } from '../claude-files.ts';
import { type Contest, quantile } from '../measure.ts';
import { emptyNode, runProgram } from '../program.ts';
import { type BenchServer, idleNode, LATE, MEMORY, PROCESSOR, startBareServer, startServer } from '../served.ts';

const MEGABYTE = 1e6;
const TURNS = 5;
const LISTS = 20;
/** Clocks of disks tick slowly. */
const SETTLED_MS = 2_500;

export const run: Case = async function* (bench) {
  const home = homeIn(bench, 'start');
  const subject = async () => {
    await using server = await startServer(home);
    return server.startMs;
  };
  const against = [{ name: 'node -e 0', atMost: 8, run: emptyNode }];
  yield { what: 'ollm serve, from its start to its first answer', subject, limit: 400, against };
  yield* clients(bench);
  yield* pages(bench);
  yield* lists(bench);
  yield* searches(bench);
};

async function* clients(bench: Bench): AsyncGenerator<Contest> {
  const { size, progress } = bench;
  const count = size(1_000, 10);
  const home = homeIn(bench, 'clients');
  progress(`writing ${count} sessions`);
  await writeSessions(sessionsDirectory(home), count);
  const name = (index: number) => `session-${String(index).padStart(6, '0')}`;
  const paths = (pathOf: (index: number) => string) => Array.from({ length: count }, (_, index) => pathOf(index));
  progress(`${count} clients of a bare server`);
  const bare = await startBareServer(home);
  const floor = await followed(
    bare,
    paths(() => '/events'),
    () => bare.ask('/say', {}),
  );
  await bare[Symbol.asyncDispose]();
  for (const kind of ['one session', 'a session each']) {
    progress(`${count} clients on ${kind}`);
    await using server = await startServer(home);
    const isOne = kind === 'one session';
    const events = paths((index) => `/api/llm/sessions/${name(isOne ? 0 : index)}/events`);
    const found = await followed(server, events, isOne ? () => speakTo(server, name(0)) : undefined);
    const memory = [{ name: 'node:http', run: floor.memory }];
    const what = `memory of ${count} clients on ${kind}`;
    yield { what, unit: 'MB', subject: found.memory, limit: 100, against: memory };
    if (!isOne) continue;
    const told = `an event, from its time to the last of ${count} clients, median of ${TURNS} turns`;
    const against = [{ name: 'node:http', run: quantile(floor.waits) }];
    yield { what: told, subject: quantile(found.waits), limit: 250, against };
  }
}

/** Clients of these streams: their cost, and how long after its time the last of them has an event of each turn. */
async function followed(server: BenchServer, paths: readonly string[], speak: (() => Promise<unknown>) | undefined) {
  const idle = await server.figure(MEMORY);
  let toldAt = new Map<number, number>();
  let storedAt = 0;
  const hear = (index: number) => (text: string) => {
    const event = /"ts":"([^"]+)","type":"turn.started"|"type":"turn.started","ts":"([^"]+)"/.exec(text);
    if (event === null || toldAt.has(index)) return;
    storedAt = Date.parse(event[1] ?? event[2]!);
    toldAt.set(index, Date.now());
  };
  const leave: (() => void)[] = [];
  for (const [index, path] of paths.entries()) leave.push(await server.follow(path, hear(index)));
  const memory = ((await server.figure(MEMORY)) - idle) / MEGABYTE;
  const waits: number[] = [];
  for (let turn = 0; speak !== undefined && turn < TURNS; turn++) {
    toldAt = new Map();
    await speak();
    while (toldAt.size < paths.length) await sleep(5);
    waits.push(Math.max(...toldAt.values()) - storedAt);
  }
  for (const each of leave) each();
  return { memory, waits };
}

async function* pages(bench: Bench): AsyncGenerator<Contest> {
  const { size, progress } = bench;
  const home = homeIn(bench, 'pages');
  const sessions = sessionsDirectory(home);
  const events = size(100_000, 2_000);
  progress(`writing a session of ${events} events`);
  await (await sessionOf(sessions, 'long', events)).close('exit');
  await (await sessionOf(sessions, 'talk', 20)).close('exit');
  const milliseconds = size(10_000, 1_000);
  progress('pages of a bare server');
  const bare = await startBareServer(home, join(sessions, 'long.jsonl'));
  const floor = await asked(bare, () => '/page', milliseconds);
  await bare[Symbol.asyncDispose]();
  await using server = await startServer(home);
  progress('pages beside turns');
  const path = () => `/api/llm/sessions/long/history?from=${Math.floor(Math.random() * (events - 100))}&limit=100`;
  await server.ask(path());
  const idleMs = await idleNode();
  const end = performance.now() + milliseconds;
  const talking = async () => {
    while (performance.now() < end) await speakTo(server, 'talk');
  };
  const [found] = await Promise.all([asked(server, path, milliseconds), talking()]);
  const what = `pages of 100 of ${events.toLocaleString('en')} events`;
  for (const [how, figure] of [
    [' beside turns', 'perSecond'],
    [', for each second of processor time, beside turns', 'perSecondOfProcessor'],
  ] as const) {
    const node = { name: 'node:http, which parses and writes them', run: floor[figure] };
    yield {
      what: what + how,
      unit: '/s',
      subject: found[figure],
      against: [{ name: '200', atLeast: 1, run: 200 }, node],
    };
  }
  yield lateness('pages and turns', found.lateMs, await idleMs());
}

/** As many pages at once as a browser asks for, without a pause. */
async function asked(server: BenchServer, path: () => string, milliseconds: number) {
  const before = await server.figure(PROCESSOR);
  await server.figure(LATE);
  const started = performance.now();
  let pages = 0;
  const asking = Array.from({ length: 6 }, async () => {
    for (; performance.now() - started < milliseconds; pages++) await server.ask(path());
  });
  await Promise.all(asking);
  const perSecond = (pages * 1000) / (performance.now() - started);
  const lateMs = (await server.figure(LATE)) * 1000;
  return { perSecond, lateMs, perSecondOfProcessor: pages / ((await server.figure(PROCESSOR)) - before) };
}

/** Next to a thread that does nothing, on the same machine at the same time. */
function lateness(beside: string, late: number, floor: number): Contest {
  const what = `how late the thread that serves is beside ${beside}, 99 of 100`;
  return { what, subject: late, limit: 30, against: [{ name: 'a Node that does nothing', run: floor }] };
}

/** Processor time of a list, next to that of a server with the same sessions of its own and no others. */
async function* lists(bench: Bench): AsyncGenerator<Contest> {
  const { size, progress } = bench;
  const [own, others] = [size(1_000, 10), size(10_000, 20)];
  const listed = async (name: string, foreign: number) => {
    const home = homeIn(bench, `lists-${name}`);
    progress(`writing ${foreign} sessions of another program`);
    await writeSessions(sessionsDirectory(home), own);
    for (let at = 0; at < foreign; at += 1) writeClaude(claudePath(home, at), claudeTalk(), { bytes: 1 });
    // The catalogue keeps no stamp of a file that was written just now.
    await sleep(SETTLED_MS);
    progress('reading in');
    // Over HTTP, that many would be more than one request may take.
    runProgram(home, '--home', home, 'sync');
    await using server = await startServer(home);
    progress('listing');
    const mean = async (count: number, before = async () => {}) => {
      let seconds = 0;
      for (let at = 0; at < count; at += 1) {
        await before();
        const from = await server.figure(PROCESSOR);
        await server.ask('/api/llm/sessions?limit=100');
        seconds += (await server.figure(PROCESSOR)) - from;
      }
      return (seconds / count) * 1000;
    };
    const means = [await mean(1), await mean(LISTS), await mean(LISTS, () => changeOwn(home))];
    // Without others, next to a later change of an own one.
    means.push(foreign > 0 ? await mean(LISTS, async () => changeTalk(home)) : means[2]!);
    return means;
  };
  const [alone, beside] = [await listed('alone', 0), await listed('beside', others)];
  const counts = `${own.toLocaleString('en')} own sessions and ${others.toLocaleString('en')} of another program`;
  for (const [at, kind] of [
    'the first list',
    'a later list',
    'a list after a change of an own one',
    'a list after a change of another one',
  ].entries()) {
    const against = [{ name: 'the own sessions only', atMost: 4, run: alone[at]! }];
    yield { what: `${kind} of ${counts}, processor time`, subject: beside[at]!, against };
  }
}

async function changeOwn(home: string): Promise<void> {
  const options = { policy: 'process', log: silentLog } as const;
  const session = await openSession(openStore(sessionsDirectory(home)), 'session-000000', options);
  await session.append({ type: 'session.titled', data: { title: 'One more', by: 'user' } });
  await session.close('exit');
}

function changeTalk(home: string): void {
  const path = claudePath(home, 0);
  appendFileSync(path, `${readFileSync(path, 'utf8').split('\n', 1)[0]}\n`);
}

async function* searches(bench: Bench): AsyncGenerator<Contest> {
  const { size, progress } = bench;
  const home = homeIn(bench, 'searches');
  await writeSessions(sessionsDirectory(home), size(1_000, 10));
  await writeJournal(sessionsDirectory(home), 'large', { bytes: size(50 * MEGABYTE, MEGABYTE) });
  await using server = await startServer(home);
  progress('reading in');
  await server.ask('/api/llm/sessions/sync', {});
  await server.ask('/api/llm/search?q=value');
  const idleMs = await idleNode();
  await server.figure(LATE);
  progress('searching and exporting');
  for (let round = size(10, 1); round > 0; round--) {
    const paths = ['sessions/large/export?format=md', 'search?q=value%20-nothing', 'sessions?limit=100'];
    await Promise.all([...paths, 'sessions/large/state?state=budget'].map((path) => server.ask(`/api/llm/${path}`)));
  }
  const late = (await server.figure(LATE)) * 1000;
  yield lateness('searches and exports', late, await idleMs());
}

function speakTo(server: BenchServer, id: string): Promise<string> {
  const body = { prompt: 'hello there', answerer: 'offline' };
  return server.ask(`/api/llm/providers/ollm/sessions/${id}/resume?wait=1`, body);
}

function homeIn({ directory }: Bench, name: string): string {
  const home = join(directory, name);
  mkdirSync(home);
  return home;
}
