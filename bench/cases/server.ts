// The server: its start, what a thousand clients cost and how late the last of them is told, pages beside a turn, and
// whether searches and exports hold up the thread that serves.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Case } from '../case.ts';
import { limitOf, measure, quantile, type Row } from '../measure.ts';
import { buildProgram, emptyNode } from '../program.ts';
import { type BenchServer, idleNode, startServer } from '../served.ts';
import { sessionsDirectory, writeJournal, writeSession, writeSessions } from '../sessions.ts';

const MEGABYTE = 1e6;
const LATE = 'ollm_event_loop_delay_seconds{quantile="0.99"}';
const MEMORY = 'ollm_resident_bytes';
const PROCESSOR = 'ollm_processor_seconds_total';
const HELLO = 'hello there';

export const run: Case = async function* (bench) {
  bench.progress('building');
  await buildProgram(bench.directory);
  const script = join(bench.directory, 'program', 'bin', 'ollm.js');
  yield* starts(script, bench);
  yield* clients(script, bench);
  yield* pages(script, bench);
  yield* searches(script, bench);
};

const fixed = (what: string, unit: string, value: number, limit: number) =>
  measure({ what, unit, subject: () => value, against: [limitOf(limit)] }, 1);

async function* starts(script: string, { directory }: Bench): AsyncGenerator<Row> {
  const home = homeIn(directory, 'start');
  const subject = async () => {
    const server = await startServer(script, home);
    await server.end();
    return server.startMs;
  };
  const against = [limitOf(400), { name: 'node -e 0', goal: { atMost: 8 }, run: emptyNode }];
  yield* await measure({ what: 'ollm serve, from its start to its first answer', unit: 'ms', subject, against }, 5);
}

async function* clients(script: string, { directory, size, progress }: Bench): AsyncGenerator<Row> {
  const count = size(1_000, 10);
  const home = homeIn(directory, 'clients');
  progress(`writing ${count} sessions`);
  await writeSessions(sessionsDirectory(home), count);
  for (const kind of ['one session', 'a session each'] as const) {
    const server = await startServer(script, home);
    const { [MEMORY]: idle } = await server.figures(MEMORY);
    progress(`${count} clients on ${kind}`);
    const name = (index: number) => `session-${String(kind === 'one session' ? 0 : index).padStart(6, '0')}`;
    const arrivals: number[] = [];
    const leave: (() => void)[] = [];
    const told = new Set<number>();
    for (let index = 0; index < count; index++) {
      leave.push(
        await server.follow(`/api/llm/sessions/${name(index)}/events`, (text) => {
          if (told.has(index) || !text.includes('"turn.started"')) return;
          told.add(index);
          arrivals.push(performance.now());
        }),
      );
    }
    const { [MEMORY]: busy } = await server.figures(MEMORY);
    yield* await fixed(`memory of ${count} clients on ${kind}`, 'MB', (busy - idle) / MEGABYTE, 100);
    if (kind === 'one session') {
      const waits: number[] = [];
      for (let turn = 0; turn < 5; turn++) {
        arrivals.length = 0;
        told.clear();
        await server.post(`/api/llm/providers/ollm/sessions/${name(0)}/resume?wait=1`, {
          prompt: HELLO,
          answerer: 'offline',
        });
        while (arrivals.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
        waits.push(Math.max(...arrivals) - Math.min(...arrivals));
      }
      yield* await fixed(`an event, from the first of ${count} clients to the last`, 'ms', quantile(waits), 250);
    }
    for (const each of leave) each();
    await server.end();
  }
}

async function* pages(script: string, { directory, size, progress }: Bench): AsyncGenerator<Row> {
  const home = homeIn(directory, 'pages');
  const events = size(100_000, 2_000);
  progress(`writing a session of ${events} events`);
  await writeSession(sessionsDirectory(home), 'long', events);
  await writeSession(sessionsDirectory(home), 'talk', 20);
  const server = await startServer(script, home);
  const page = async () => {
    const from = Math.floor(Math.random() * (events - 100));
    const started = performance.now();
    await server.get(`/api/llm/sessions/long/history?from=${from}&limit=100`);
    return performance.now() - started;
  };
  await page();
  progress('pages beside turns');
  const idle = await idleNode();
  const seconds = size(10, 1);
  const before = await server.figures(PROCESSOR);
  const turns = turnsUntil(server, 'talk', performance.now() + seconds * 1000);
  const times: number[] = [];
  const started = performance.now();
  // As many at once as a browser asks for.
  const asking = Array.from({ length: 6 }, async () => {
    while (performance.now() - started < seconds * 1000) times.push(await page());
  });
  await Promise.all([...asking, turns]);
  const after = await server.figures(PROCESSOR, LATE);
  const took = after[PROCESSOR] - before[PROCESSOR];
  const what = `pages of 100 of ${events.toLocaleString('en')} events, for each second of processor time, beside turns`;
  const wanted = { name: '200', goal: { atLeast: 1 }, run: () => 200 };
  yield* await measure({ what, unit: '/s', subject: () => times.length / took, against: [wanted] }, 1);
  const floor = await idle.late();
  yield* await lateness(
    'how late the thread that serves is beside pages and turns, 99 of 100',
    after[LATE] * 1000,
    floor,
  );
  await server.end();
}

/** Beside a thread that does nothing, on the same machine at the same time. */
const lateness = (what: string, late: number, floor: number) =>
  measure(
    {
      what,
      unit: 'ms',
      subject: () => late,
      against: [limitOf(30), { name: 'a Node that does nothing', run: () => floor }],
    },
    1,
  );

async function* searches(script: string, { directory, size, progress }: Bench): AsyncGenerator<Row> {
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
  yield* await lateness(
    'how late the thread that serves is beside searches and exports, 99 of 100',
    late,
    await idle.late(),
  );
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
