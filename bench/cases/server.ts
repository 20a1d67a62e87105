// The server: its start, what a thousand clients cost and how late the last of them is told, pages alongside a turn,
// lists with many sessions of another program, and whether searches and exports hold up the thread that serves. Next to
// a server of plain Node in the same run. Memory and processor time are those of its process, on Linux.
import { appendFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import {
  openStore,
  sessionOf,
  sessionsDirectory,
  writeJournal,
  writeSessions,
} from '../../__tests__/support/generated-journals.ts';
import { writeManySessions } from '../../__tests__/support/many-sessions.ts';
import type { Served } from '../../__tests__/support/served.ts';
import { until } from '../../__tests__/support/until.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { openSession } from '../../lib/session/open.ts';
import type { Bench, Case } from '../case.ts';
import { type Contest, milliseconds, quantile } from '../measure.ts';
import { emptyNode, processorMs, residentMb, runProgram, startServer } from '../program.ts';

const BARE = join(import.meta.dirname, '../bare-server.ts');
const TURNS = 5;
const LISTS = 20;

export const run: Case = async function* (bench) {
  if (process.platform !== 'linux') return yield { what: 'the server', skipped: 'it is measured on Linux only' };
  const home = homeIn(bench, 'start');
  const start = () =>
    milliseconds(async () => {
      await using server = await startServer(home);
      await textOf(server, '/health');
    });
  const what = 'ollm serve, from its start to its first answer';
  yield { what, ollm: start, limit: 400, against: [emptyNode(8)] };
  yield* clients(bench);
  yield* pages(bench);
  yield* lists(bench);
  yield* searches(bench);
};

async function* clients(bench: Bench): AsyncGenerator<Contest> {
  const count = bench.size(1_000, 10);
  const home = homeIn(bench, 'clients');
  await writeSessions(sessionsDirectory(home), count);
  const name = (index: number) => `session-${String(index).padStart(6, '0')}`;
  const floor = await followed(await startServer(home, BARE), { count, path: () => '/events', speaksTo: '/say' });
  const node = 'node:http';
  const one = { count, path: () => eventsOf(name(0)), speaksTo: name(0) };
  const each = { count, path: (index: number) => eventsOf(name(index)) };
  const [ofOne, ofEach] = [await followed(await startServer(home), one), await followed(await startServer(home), each)];
  for (const [kind, { memory }] of [
    ['one session', ofOne],
    ['a session each', ofEach],
  ] as const) {
    const against = [[node, floor.memory]] as const;
    yield { what: `memory of ${count} clients on ${kind}`, unit: 'MB', ollm: memory, limit: 100, against };
  }
  const what = `an event, from its time to the last of ${count} clients, median of ${TURNS} turns`;
  yield { what, ollm: quantile(ofOne.waits), limit: 250, against: [[node, quantile(floor.waits)]] };
}

interface Following {
  readonly count: number;
  readonly path: (index: number) => string;
  /** A session, or the path that tells all. */
  readonly speaksTo?: string;
}

/** Clients of these streams: their cost, and how long after its time the last of them has an event of each turn. */
async function followed(server: Served, { count, path, speaksTo }: Following) {
  await using ended = server;
  const pid = ended.child.pid!;
  const idle = residentMb(pid);
  let toldAt = new Map<number, number>();
  let storedAt = 0;
  const hear = (index: number) => (text: string) => {
    const event = /"ts":"([^"]+)","type":"turn.started"|"type":"turn.started","ts":"([^"]+)"/.exec(text);
    if (event === null || toldAt.has(index)) return;
    storedAt = Date.parse(event[1] ?? event[2]!);
    toldAt.set(index, Date.now());
  };
  for (let index = 0; index < count; index += 1) await follow(server, path(index), hear(index));
  const memory = residentMb(pid) - idle;
  const waits: number[] = [];
  for (let turn = 0; speaksTo !== undefined && turn < TURNS; turn++) {
    toldAt = new Map();
    await (speaksTo.startsWith('/') ? textOf(server, speaksTo) : speakTo(server, speaksTo));
    await until(() => toldAt.size === count);
    waits.push(Math.max(...toldAt.values()) - storedAt);
  }
  return { memory, waits };
}

/** Resolves when the stream has begun; it ends with the server. */
function follow(server: Served, path: string, onText: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    get(server.address + path, { agent: false, headers: accessTo(server) }, (answer) => {
      answer
        .on('error', () => {})
        .setEncoding('utf8')
        .on('data', onText);
      if (answer.statusCode === 200) resolve();
      else reject(new Error(`${path} answered ${answer.statusCode}`));
    }).on('error', reject);
  });
}

async function* pages(bench: Bench): AsyncGenerator<Contest> {
  const { size } = bench;
  const home = homeIn(bench, 'pages');
  const sessions = sessionsDirectory(home);
  const events = size(100_000, 2_000);
  await (await sessionOf(sessions, 'long', events)).close('exit');
  await (await sessionOf(sessions, 'talk', 20)).close('exit');
  const ms = size(10_000, 1_000);
  await using bare = await startServer(home, BARE, join(sessions, 'long.jsonl'));
  const floor = await asked(bare, () => '/page', ms);
  await using server = await startServer(home);
  const path = () => `/api/llm/sessions/long/history?from=${Math.floor(Math.random() * (events - 100))}&limit=100`;
  await textOf(server, path());
  await lateMs(bare);
  const end = performance.now() + ms;
  const talking = async () => {
    while (performance.now() < end) await speakTo(server, 'talk');
  };
  const [found] = await Promise.all([asked(server, path, ms), talking()]);
  for (const [how, figure] of [
    [' beside turns', 'perSecond'],
    [', for each second of processor time, beside turns', 'perSecondOfProcessor'],
  ] as const) {
    const what = `pages of 100 of ${events.toLocaleString('en')} events${how}`;
    const node = ['node:http, which parses and writes them', floor[figure]] as const;
    yield { what, unit: '/s', ollm: found[figure], against: [['200', 200, 1], node] };
  }
  yield lateness('pages and turns', found.late, await lateMs(bare));
}

/** As many pages at once as a browser asks for, without a pause. */
async function asked(server: Served, path: () => string, ms: number) {
  await lateMs(server);
  const [started, before] = [performance.now(), processorMs(server.child.pid!)];
  let pages = 0;
  const asking = Array.from({ length: 6 }, async () => {
    for (; performance.now() - started < ms; pages++) await textOf(server, path());
  });
  await Promise.all(asking);
  const perSecond = (pages * 1000) / (performance.now() - started);
  const perSecondOfProcessor = (pages * 1000) / (processorMs(server.child.pid!) - before);
  return { perSecond, perSecondOfProcessor, late: await lateMs(server) };
}

/** How late the thread that serves was since this was asked before, 99 of 100. */
async function lateMs(server: Served): Promise<number> {
  const figures = await textOf(server, '/metrics');
  return 1000 * Number(/^ollm_event_loop_delay_seconds\{quantile="0.99"\} (.*)$/m.exec(figures)?.[1]);
}

function lateness(beside: string, late: number, floor: number): Contest {
  const what = `how late the thread that serves is beside ${beside}, 99 of 100`;
  return { what, ollm: late, limit: 30, against: [['a Node that does nothing', floor]] };
}

/** Processor time of a list, next to that of a server with the same sessions of its own and no others. */
async function* lists(bench: Bench): AsyncGenerator<Contest> {
  const [own, others] = [bench.size(1_000, 10), bench.size(10_000, 20)];
  const listed = async (count: number) => {
    const home = homeIn(bench, `lists-${count}`);
    await writeManySessions(home, home, { count, ownEvery: Math.round(count / own), newestMs: Date.now() - 3_600_000 });
    // Over HTTP, that many would be more than one request may take.
    runProgram(home, 'sync');
    const [other] = globSync(join(home, '.claude/projects/*/*.jsonl'));
    await using server = await startServer(home);
    const mean = async (times: number, change = async () => {}) => {
      let ms = 0;
      for (let at = 0; at < times; at += 1) {
        await change();
        const before = processorMs(server.child.pid!);
        await textOf(server, '/api/llm/sessions?limit=100');
        ms += processorMs(server.child.pid!) - before;
      }
      return ms / times;
    };
    return {
      'the first list': await mean(1),
      'a later list': await mean(LISTS),
      'a list after a change of an own one': await mean(LISTS, () => changeOwn(home)),
      // Without others, next to another change of an own one.
      'a list after a change of another one': await mean(LISTS, () => (other ? changeTalk(other) : changeOwn(home))),
    };
  };
  const [only, beside] = [await listed(own), await listed(own + others)];
  const counts = `${own.toLocaleString('en')} own sessions and ${others.toLocaleString('en')} of another program`;
  for (const kind of Object.keys(only) as (keyof typeof only)[]) {
    const against = [['the own sessions only', only[kind], 4]] as const;
    yield { what: `${kind} of ${counts}, processor time`, ollm: beside[kind], against };
  }
}

async function changeOwn(home: string): Promise<void> {
  const options = { policy: 'process', log: silentLog } as const;
  const session = await openSession(openStore(sessionsDirectory(home)), 's0', options);
  await session.append({ type: 'session.titled', data: { title: 'One more', by: 'user' } });
  await session.close('exit');
}

async function changeTalk(path: string): Promise<void> {
  appendFileSync(path, `${readFileSync(path, 'utf8').split('\n', 1)[0]}\n`);
}

async function* searches(bench: Bench): AsyncGenerator<Contest> {
  const { size } = bench;
  const home = homeIn(bench, 'searches');
  await writeSessions(sessionsDirectory(home), size(1_000, 10));
  await writeJournal(sessionsDirectory(home), 'large', { bytes: size(50e6, 1e6) });
  runProgram(home, 'sync');
  await using server = await startServer(home);
  await using bare = await startServer(home, BARE);
  await textOf(server, '/api/llm/search?q=value');
  for (const each of [server, bare]) await lateMs(each);
  for (let round = size(10, 1); round > 0; round--) {
    const paths = ['sessions/large/export?format=md', 'search?q=value%20-nothing', 'sessions?limit=100'];
    await Promise.all(
      [...paths, 'sessions/large/state?state=budget'].map((path) => textOf(server, `/api/llm/${path}`)),
    );
  }
  yield lateness('searches and exports', await lateMs(server), await lateMs(bare));
}

function eventsOf(id: string): string {
  return `/api/llm/sessions/${id}/events`;
}

function speakTo(server: Served, id: string): Promise<string> {
  const body = { prompt: 'hello there', answerer: 'offline' };
  return textOf(server, `/api/llm/providers/ollm/sessions/${id}/resume?wait=1`, body);
}

function accessTo({ token }: Served): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

/** With a body it is a POST. */
async function textOf(server: Served, path: string, body?: object): Promise<string> {
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const headers = { ...accessTo(server), ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(server.address + path, { ...post, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text;
}

function homeIn({ directory }: Bench, name: string): string {
  const home = join(directory, name);
  mkdirSync(home);
  return home;
}
