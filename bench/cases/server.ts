// The server: its start, what a thousand clients cost and how late the last of them is told, pages alongside a turn,
// lists with many sessions of another program, and whether searches and exports hold up the thread that serves.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '../../lib/platform/index.ts';
import { openSession } from '../../lib/session/open.ts';
import type { Bench, Case } from '../case.ts';
import { talkPath, writeTalk } from '../foreign-talk.ts';
import { type Contest, quantile } from '../measure.ts';
import { emptyNode, type Program, programIn } from '../program.ts';
import { type BenchServer, idleNode, startBareServer, startServer } from '../served.ts';
import { openStore, sessionOf, sessionsDirectory, writeJournal, writeSessions } from '../sessions.ts';

const MEGABYTE = 1e6;
const LATE = 'ollm_event_loop_delay_seconds{quantile="0.99"}';
const MEMORY = 'ollm_resident_bytes';
const PROCESSOR = 'ollm_processor_seconds_total';
const HELLO = 'hello there';

export const run: Case = async function* (bench) {
  const program = programIn(bench.directory);
  const { script } = program;
  yield* starts(script, bench);
  yield* clients(script, bench);
  yield* pages(script, bench);
  yield* lists(program, bench);
  yield* searches(script, bench);
};

async function* starts(script: string, { directory }: Bench): AsyncGenerator<Contest> {
  const home = homeIn(directory, 'start');
  const subject = async () => {
    const server = await startServer(script, home);
    await server.end();
    return server.startMs;
  };
  const against = [{ name: 'node -e 0', atMost: 8, run: emptyNode }];
  yield { what: 'ollm serve, from its start to its first answer', subject, limit: 400, against };
}

const TURNS = 5;

async function* clients(script: string, { directory, size, progress }: Bench): AsyncGenerator<Contest> {
  const count = size(1_000, 10);
  const home = homeIn(directory, 'clients');
  progress(`writing ${count} sessions`);
  await writeSessions(sessionsDirectory(home), count);
  const name = (index: number) => `session-${String(index).padStart(6, '0')}`;
  progress(`${count} clients of a bare server`);
  const bare = await startBareServer(home);
  const floor = await followed(bare, Array<string>(count).fill('/events'), () => bare.post('/say', {}));
  await bare.end();
  const node = (reference: number) => ({ name: 'node:http', run: () => reference });
  for (const kind of ['one session', 'a session each'] as const) {
    progress(`${count} clients on ${kind}`);
    const server = await startServer(script, home);
    const isOne = kind === 'one session';
    const paths = Array.from({ length: count }, (_, index) => `/api/llm/sessions/${name(isOne ? 0 : index)}/events`);
    const talk = `/api/llm/providers/ollm/sessions/${name(0)}/resume?wait=1`;
    const speak = () => server.post(talk, { prompt: HELLO, answerer: 'offline' });
    const found = await followed(server, paths, isOne ? speak : undefined);
    yield {
      what: `memory of ${count} clients on ${kind}`,
      unit: 'MB',
      subject: () => found.memory,
      limit: 100,
      against: [node(floor.memory)],
      rounds: 1,
    };
    if (isOne) {
      const what = `an event, from its time to the last of ${count} clients, median of ${TURNS} turns`;
      const against = [node(quantile(floor.waits))];
      yield { what, subject: () => quantile(found.waits), limit: 250, against, rounds: 1 };
    }
    await server.end();
  }
}

/** Clients of these streams: their cost, and how long after its time the last of them has an event of each turn. */
async function followed(
  server: BenchServer,
  paths: readonly string[],
  speak: (() => Promise<unknown>) | undefined,
): Promise<{ readonly memory: number; readonly waits: readonly number[] }> {
  const { [MEMORY]: idle } = await server.figures(MEMORY);
  const leave: (() => void)[] = [];
  let toldAt = new Map<number, number>();
  let storedAt = 0;
  const hear = (index: number) => (text: string) => {
    const event = /"ts":"([^"]+)","type":"turn.started"|"type":"turn.started","ts":"([^"]+)"/.exec(text);
    if (event === null || toldAt.has(index)) return;
    storedAt = Date.parse(event[1] ?? event[2]!);
    toldAt.set(index, Date.now());
  };
  for (const [index, path] of paths.entries()) leave.push(await server.follow(path, hear(index)));
  const { [MEMORY]: busy } = await server.figures(MEMORY);
  const waits: number[] = [];
  for (let turn = 0; speak !== undefined && turn < TURNS; turn++) {
    toldAt = new Map();
    await speak();
    while (toldAt.size < paths.length) await new Promise((resolve) => setTimeout(resolve, 5));
    waits.push(Math.max(...toldAt.values()) - storedAt);
  }
  for (const each of leave) each();
  return { memory: (busy - idle) / MEGABYTE, waits };
}

async function* pages(script: string, { directory, size, progress }: Bench): AsyncGenerator<Contest> {
  const home = homeIn(directory, 'pages');
  const events = size(100_000, 2_000);
  progress(`writing a session of ${events} events`);
  for (const [id, length] of [
    ['long', events],
    ['talk', 20],
  ] as const) {
    await (await sessionOf(sessionsDirectory(home), id, length)).close('exit');
  }
  const seconds = size(10, 1);
  const pageAt = () => Math.floor(Math.random() * (events - 100));
  progress('pages of a bare server');
  const bare = await startBareServer(home, join(sessionsDirectory(home), 'long.jsonl'));
  const floor = await asked(bare, () => '/page', seconds);
  await bare.end();
  const server = await startServer(script, home);
  progress('pages beside turns');
  const path = () => `/api/llm/sessions/long/history?from=${pageAt()}&limit=100`;
  await server.get(path());
  const idle = await idleNode();
  const turns = turnsUntil(server, 'talk', performance.now() + seconds * 1000);
  const found = await asked(server, path, seconds);
  await turns;
  const what = `pages of 100 of ${events.toLocaleString('en')} events`;
  const node = (reference: number) => ({ name: 'node:http, which parses and writes them', run: () => reference });
  const wanted = { name: '200', atLeast: 1, run: () => 200 };
  const aSecond = { unit: '/s', rounds: 1 };
  yield {
    what: `${what} beside turns`,
    subject: () => found.each,
    against: [wanted, node(floor.each)],
    ...aSecond,
  };
  yield {
    what: `${what}, for each second of processor time, beside turns`,
    subject: () => found.eachOfProcessor,
    against: [wanted, node(floor.eachOfProcessor)],
    ...aSecond,
  };
  yield lateness(
    'how late the thread that serves is beside pages and turns, 99 of 100',
    found.lateMs,
    await idle.late(),
  );
  await server.end();
}

/** As many pages at once as a browser asks for, without a pause. */
async function asked(server: BenchServer, path: () => string, seconds: number) {
  const before = await server.figures(PROCESSOR, LATE);
  const started = performance.now();
  let pages = 0;
  const asking = Array.from({ length: 6 }, async () => {
    for (; performance.now() - started < seconds * 1000; pages++) await server.get(path());
  });
  await Promise.all(asking);
  const took = (performance.now() - started) / 1000;
  const after = await server.figures(PROCESSOR, LATE);
  const eachOfProcessor = pages / (after[PROCESSOR] - before[PROCESSOR]);
  return { each: pages / took, eachOfProcessor, lateMs: after[LATE] * 1000 };
}

/** Next to a thread that does nothing, on the same machine at the same time. */
function lateness(what: string, late: number, floor: number): Contest {
  const against = [{ name: 'a Node that does nothing', run: () => floor }];
  return { what, subject: () => late, limit: 30, against, rounds: 1 };
}

const LISTS = 20;
const LIST = '/api/llm/sessions?limit=100';

/** Processor time of a list, next to that of a server with the same sessions of its own and no others. */
async function* lists({ script, run: runProgram }: Program, bench: Bench): AsyncGenerator<Contest> {
  const { directory, size, progress } = bench;
  const [own, others] = [size(1_000, 10), size(10_000, 20)];
  const found = new Map<string, readonly number[]>();
  for (const name of ['alone', 'beside']) {
    const home = homeIn(directory, `lists-${name}`);
    await writeSessions(sessionsDirectory(home), own);
    progress(`writing ${others} sessions of another program`);
    for (let number = 0; name === 'beside' && number < others; number += 1) writeTalk(talkPath(home, number), 1);
    // The catalogue keeps no stamp of a file that was written just now.
    await sleep(SETTLED_MS);
    progress('reading in');
    // Over HTTP, that many would be more than one request may take.
    runProgram(home, '--home', home, 'sync');
    const server = await startServer(script, home);
    progress('listing');
    const changes = [() => changeOwn(home), ...(name === 'beside' ? [() => changeTalk(home)] : [])];
    found.set(name, await listed(server, changes));
    await server.end();
  }
  const [alone, beside] = [found.get('alone')!, found.get('beside')!];
  const counts = `${own.toLocaleString('en')} own sessions and ${others.toLocaleString('en')} of another program`;
  const kinds = [
    'the first list',
    'a later list',
    'a list after a change of an own one',
    'a list after a change of another one',
  ];
  for (const [at, kind] of kinds.entries()) {
    const floor = alone[at] ?? alone.at(-1)!;
    const against = [{ name: 'the own sessions only', atMost: 4, run: () => floor }];
    yield { what: `${kind} of ${counts}, processor time`, subject: () => beside[at]!, against, rounds: 1 };
  }
}
/** Clocks of disks tick slowly. */
const SETTLED_MS = 2_500;

async function changeOwn(home: string): Promise<void> {
  const options = { policy: 'process', log: silentLog } as const;
  const session = await openSession(openStore(sessionsDirectory(home)), 'session-000000', options);
  await session.append({ type: 'session.titled', data: { title: 'One more', by: 'user' } });
  await session.close('exit');
}

async function changeTalk(home: string): Promise<void> {
  const path = talkPath(home, 0);
  appendFileSync(path, `${readFileSync(path, 'utf8').split('\n', 1)[0]}\n`);
}

/** Milliseconds of the first list, of a later one, and of one after each of these changes. */
async function listed(server: BenchServer, changes: readonly (() => Promise<void>)[]): Promise<readonly number[]> {
  const spent = async (count: number, before = async () => {}) => {
    let seconds = 0;
    for (let at = 0; at < count; at += 1) {
      await before();
      const { [PROCESSOR]: from } = await server.figures(PROCESSOR);
      await server.get(LIST);
      seconds += (await server.figures(PROCESSOR))[PROCESSOR] - from;
    }
    return (seconds / count) * 1000;
  };
  const each = [await spent(1), await spent(LISTS)];
  for (const change of changes) each.push(await spent(LISTS, change));
  return each;
}

async function* searches(script: string, { directory, size, progress }: Bench): AsyncGenerator<Contest> {
  const home = homeIn(directory, 'searches');
  await writeSessions(sessionsDirectory(home), size(1_000, 10));
  await writeJournal(sessionsDirectory(home), 'large', { bytes: size(50 * MEGABYTE, MEGABYTE) });
  const server = await startServer(script, home);
  progress('reading in');
  await server.post('/api/llm/sessions/sync', {});
  await server.get('/api/llm/search?q=value');
  const idle = await idleNode();
  await server.figures(LATE);
  progress('searching and exporting');
  const rounds = size(10, 1);
  for (let round = 0; round < rounds; round++) {
    await Promise.all([
      server.get('/api/llm/sessions/large/export?format=md'),
      server.get('/api/llm/search?q=value%20-nothing'),
      server.get('/api/llm/sessions?limit=100'),
      server.get('/api/llm/sessions/large/state?state=budget'),
    ]);
  }
  const late = (await server.figures(LATE))[LATE] * 1000;
  yield lateness('how late the thread that serves is beside searches and exports, 99 of 100', late, await idle.late());
  await server.end();
}

async function turnsUntil(server: BenchServer, id: string, endMs: number): Promise<void> {
  while (performance.now() < endMs) {
    await server.post(`/api/llm/providers/ollm/sessions/${id}/resume?wait=1`, { prompt: HELLO, answerer: 'offline' });
  }
}

function homeIn(directory: string, name: string): string {
  const home = join(directory, name);
  mkdirSync(home);
  return home;
}
