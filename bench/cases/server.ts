// The server: its start, what a thousand clients cost and how late the last of them is told, pages alongside a turn,
// lists with many sessions of another program, and whether searches and exports hold up the thread that serves. Next to
// a server of plain Node in the same run. Memory and processor time are those of its process, on Linux.
import { appendFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  sessionOf,
  sessionsDirectory,
  writeJournal,
  writeSessions,
} from '../../__tests__/support/generated-journals.ts';
import { writeManySessions } from '../../__tests__/support/many-sessions.ts';
import { follow, type Served } from '../../__tests__/support/served.ts';
import { until } from '../../__tests__/support/until.ts';
import type { Bench, Case } from '../case.ts';
import { type Contest, milliseconds, quantile, rowsOf } from '../measure.ts';
import { emptyNode, processorMs, residentMb, runProgram, startServer } from '../program.ts';

const BARE = join(import.meta.dirname, '../bare-server.ts');
const TURNS = 5;
const LISTS = 20;
const HOUR_MS = 3_600_000;
const HAS_SYNCED = /^ollm_catalog_sync_seconds 0?\.?[0-9]*[1-9]/m;

export const run: Case = async function* (bench) {
  if (process.platform !== 'linux') return yield { what: 'the server', skipped: 'it is measured on Linux only' };
  const home = bench.home('start');
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
  const home = bench.home('clients');
  // Where the session was begun that has turns.
  mkdirSync(join(home, 'projects/bed-0'), { recursive: true });
  await writeManySessions(home, home, { count, ownEvery: 1, newestMs: Date.now() - HOUR_MS });
  runProgram(home, 'sync');
  const paths = (pathOf: (index: number) => string) => Array.from({ length: count }, (_, index) => pathOf(index));
  const ofNode = await followed(
    await startServer(home, BARE),
    paths(() => '/events'),
    '/say',
  );
  const ofOne = await followed(
    await startServer(home),
    paths(() => eventsOf('s0')),
  );
  const ofEach = await followed(
    await startServer(home),
    paths((index) => eventsOf(`s${index}`)),
  );
  const sides = {
    [`memory of ${count} clients on one session`]: ofOne.memory,
    [`memory of ${count} clients on a session each`]: ofEach.memory,
  };
  yield* rowsOf(sides, { unit: 'MB', limit: 100, against: [['node:http', ofNode.memory]] });
  const what = `an event, from its time to the last of ${count} clients, median of ${TURNS} turns`;
  yield { what, ollm: ofOne.waitMs, limit: 250, against: [['node:http', ofNode.waitMs]] };
}

/**
 * Clients of these streams: their memory, and how long after its time the last of them has an event of each turn, which
 * the clients of one session have all. `says`: the path that makes one, in place of a turn.
 */
async function followed(server: Served, paths: readonly string[], says?: string) {
  await using ended = server;
  // A server of ollm is idle once it has read all sessions.
  if (says === undefined) await until(async () => HAS_SYNCED.test(await textOf(server, '/metrics')));
  const idle = residentMb(ended.child.pid!);
  let [heard, latestMs] = [0, 0];
  const hear = (text: string) => {
    const event = /"ts":"([^"]+)","type":"turn.started"|"type":"turn.started","ts":"([^"]+)"/.exec(text);
    if (event === null) return;
    heard += 1;
    latestMs = Math.max(latestMs, Date.now() - Date.parse(event[1] ?? event[2]!));
  };
  for (const path of paths) await follow(server, path, hear);
  const memory = residentMb(ended.child.pid!) - idle;
  const waits: number[] = [];
  const listeners = paths[0] === paths.at(-1) ? paths.length : 1;
  for (let turn = 0; turn < TURNS; turn++) {
    [heard, latestMs] = [0, 0];
    await (says === undefined ? speakTo(server, 's0') : textOf(server, says));
    await until(() => heard === listeners);
    waits.push(latestMs);
  }
  return { memory, waitMs: quantile(waits) };
}

async function* pages(bench: Bench): AsyncGenerator<Contest> {
  const { size } = bench;
  const home = bench.home('pages');
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
  for (const [how, ollm, byNode] of [
    ['', found.perSecond, floor.perSecond],
    [', for each second of processor time', found.perSecondOfProcessor, floor.perSecondOfProcessor],
  ] as const) {
    const what = `pages of 100 of ${events.toLocaleString('en')} events beside turns${how}`;
    const against = [
      ['the goal', 200, 1],
      ['node:http, which parses and writes them', byNode],
    ] as const;
    yield { what, unit: '/s', ollm, against };
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
    const home = bench.home(`lists-${count}`);
    const ownEvery = Math.round(count / own);
    await writeManySessions(home, home, { count, ownEvery, newestMs: Date.now() - HOUR_MS });
    // Over HTTP, that many would be more than one request may take.
    runProgram(home, 'sync');
    const changeOwn = () => void runProgram(home, 'title', 's0', `Title ${Math.random()}`);
    const [talk] = globSync(join(home, '.claude/projects/*/*.jsonl'));
    const changeOther = () => appendFileSync(talk!, `${readFileSync(talk!, 'utf8').split('\n', 1)[0]}\n`);
    await using server = await startServer(home);
    const mean = async (times: number, change: () => void = () => {}) => {
      let ms = 0;
      for (let at = 0; at < times; at += 1) {
        change();
        const before = processorMs(server.child.pid!);
        await textOf(server, '/api/llm/sessions?limit=100');
        ms += processorMs(server.child.pid!) - before;
      }
      return ms / times;
    };
    return {
      'the first list': await mean(1),
      'a later list': await mean(LISTS),
      'a list after a change of an own one': await mean(LISTS, changeOwn),
      // Without others, next to another change of an own one.
      'a list after a change of another one': await mean(LISTS, talk === undefined ? changeOwn : changeOther),
    };
  };
  const [only, beside] = [await listed(own), await listed(own + others)];
  const counts = `${own.toLocaleString('en')} own sessions and ${others.toLocaleString('en')} of another program`;
  for (const kind of Object.keys(only) as (keyof typeof only)[]) {
    const against = [['the own sessions only', only[kind], 4]] as const;
    yield { what: `${kind} of ${counts}, processor time`, ollm: beside[kind], against };
  }
}

async function* searches(bench: Bench): AsyncGenerator<Contest> {
  const { size } = bench;
  const home = bench.home('searches');
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

/** With a body it is a POST. */
async function textOf(server: Served, path: string, body?: object): Promise<string> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(server.address + path, { ...post, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text;
}
