// What a person waits for, as whole processes: start, list and resume beside an empty Node or a time that is felt; and
// the memory that reading a long journal takes, beside a short one.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Case } from '../case.ts';
import { type Contest, limitOf, measure, type Row } from '../measure.ts';
import { buildProgram, emptyNode, PROMPT, type Program } from '../program.ts';
import { sessionsDirectory, writeJournal, writeSession, writeSessions } from '../sessions.ts';

const READING = [
  ['verify'],
  ['tail', '-n', '20'],
  ['export', '--format', 'md'],
  ['export', '--format', 'html'],
  ['export', '--format', 'jsonl'],
] as const;

export const run: Case = async function* (bench) {
  bench.progress('building');
  const program = await buildProgram(bench.directory);
  const home = join(bench.directory, 'home');
  mkdirSync(home);
  yield* starts(program, home);
  yield* lists(program, bench);
  yield* resumes(program, bench);
  yield* memory(program, bench);
};

const beside = (atMost: number) => [{ name: 'node -e 0', goal: { atMost }, run: emptyNode }];

async function* starts(program: Program, home: string): AsyncGenerator<Row> {
  const version = { what: 'ollm --version', unit: 'ms', subject: () => program.run(home, '--version') };
  yield* await measure({ ...version, against: beside(1.3) }, 9);
  const repl = () => program.until(PROMPT, home, 'repl', '--new', '--provider', 'offline');
  yield* await measure({ what: 'REPL at its prompt', unit: 'ms', subject: repl, against: beside(4) });
}

async function* lists(program: Program, { size, directory, progress }: Bench): AsyncGenerator<Row> {
  for (const [full, atMost] of [
    [1_000, 4],
    [10_000, 6],
  ] as const) {
    const count = size(full, 20);
    progress(`writing ${count} sessions`);
    const home = join(directory, `list-${full}`);
    await writeSessions(sessionsDirectory(home), count);
    const what = `ollm list, ${count.toLocaleString('en')} sessions`;
    const contests: Contest[] = [
      { what, unit: 'ms', subject: () => program.run(home, 'list'), against: beside(atMost) },
      {
        what: `${what}, terminal`,
        unit: 'ms',
        subject: () => program.runOnTerminal(home, 'list'),
        against: beside(atMost),
      },
    ];
    for (const contest of contests) {
      progress(contest.what);
      yield* await measure(contest);
    }
  }
}

async function* resumes(program: Program, { size, directory, progress }: Bench): AsyncGenerator<Row> {
  const count = size(100_000, 200);
  const events = `${count.toLocaleString('en')} events`;
  progress(`writing ${events}`);
  const home = join(directory, 'resume');
  const sessions = sessionsDirectory(home);
  await writeSession(sessions, 'long', count);
  const resume = () => program.until(PROMPT, home, 'repl', '--resume', 'long', '--provider', 'offline');
  progress(`resuming ${events}`);
  yield* await measure({ what: `resume at ${events}`, unit: 'ms', subject: resume, against: [limitOf(200)] });
  const lost = () => {
    rmSync(join(sessions, 'long.state.json'));
    return resume();
  };
  yield* await measure(
    { what: `resume at ${events}, state file lost`, unit: 'ms', subject: lost, against: [limitOf(2500)] },
    3,
  );
}

async function* memory(program: Program, { size, directory, progress }: Bench): AsyncGenerator<Row> {
  const home = join(directory, 'memory');
  const [smallBytes, largeBytes] = [size(10e6, 1e5), size(1e9, 1e6)];
  progress(`writing ${largeBytes / 1e6} MB`);
  const sessions = sessionsDirectory(home);
  await writeJournal(sessions, 'small', { bytes: smallBytes });
  await writeJournal(sessions, 'large', { bytes: largeBytes });
  for (const [command, ...options] of READING) {
    const name = [command, ...options].join(' ');
    progress(name);
    yield* await measure(
      {
        what: `peak memory of ${name}, ${largeBytes / 1e6} MB`,
        unit: 'MB',
        subject: () => program.peak(home, command, 'large', ...options),
        against: [
          {
            name: `the same, ${smallBytes / 1e6} MB`,
            goal: { atMost: 2 },
            run: () => program.peak(home, command, 'small', ...options),
          },
        ],
      },
      1,
    );
  }
}
