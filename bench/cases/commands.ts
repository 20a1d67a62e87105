// What a person waits for, as whole processes: start, list and resume compared with an empty Node or a time that is
// felt; and the memory that reading a long journal takes, compared with a short one.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Case } from '../case.ts';
import type { Contest } from '../measure.ts';
import { emptyNode, PROMPT, type Program, programIn } from '../program.ts';
import { sessionOf, sessionsDirectory, writeJournal, writeSessions } from '../sessions.ts';

const READING = [
  ['verify'],
  ['tail', '-n', '20'],
  ['export', '--format', 'md'],
  ['export', '--format', 'html'],
  ['export', '--format', 'jsonl'],
] as const;

export const run: Case = async function* (bench) {
  const program = programIn(bench.directory);
  const home = join(bench.directory, 'home');
  mkdirSync(home);
  yield* starts(program, home);
  yield* lists(program, bench);
  yield* resumes(program, bench);
  yield* memory(program, bench);
};

const beside = (atMost: number) => [{ name: 'node -e 0', atMost, run: emptyNode }];

function* starts(program: Program, home: string): Generator<Contest> {
  const version = () => program.run(home, '--version');
  yield { what: 'ollm --version', subject: version, against: beside(1.3), rounds: 9 };
  const repl = () => program.until(PROMPT, home, 'repl', '--new', '--provider', 'offline');
  yield { what: 'REPL at its prompt', subject: repl, against: beside(4) };
}

async function* lists(program: Program, { size, directory, progress }: Bench): AsyncGenerator<Contest> {
  for (const [full, atMost] of [
    [1_000, 4],
    [10_000, 6],
  ] as const) {
    const count = size(full, 20);
    progress(`writing ${count} sessions`);
    const home = join(directory, `list-${full}`);
    await writeSessions(sessionsDirectory(home), count);
    const what = `ollm list, ${count.toLocaleString('en')} sessions`;
    const against = beside(atMost);
    yield { what, subject: () => program.run(home, 'list'), against };
    yield { what: `${what}, terminal`, subject: () => program.runOnTerminal(home, 'list'), against };
  }
}

async function* resumes(program: Program, { size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const count = size(100_000, 200);
  const events = `${count.toLocaleString('en')} events`;
  progress(`writing ${events}`);
  const home = join(directory, 'resume');
  const sessions = sessionsDirectory(home);
  await (await sessionOf(sessions, 'long', count)).close('exit');
  const resume = () => program.until(PROMPT, home, 'repl', '--resume', 'long', '--provider', 'offline');
  yield { what: `resume at ${events}`, subject: resume, limit: 200 };
  const lost = () => {
    rmSync(join(sessions, 'long.state.json'));
    return resume();
  };
  yield { what: `resume at ${events}, state file lost`, subject: lost, limit: 2500, rounds: 3 };
}

async function* memory(program: Program, { size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const home = join(directory, 'memory');
  const [smallBytes, largeBytes] = [size(10e6, 1e5), size(1e9, 1e6)];
  progress(`writing ${largeBytes / 1e6} MB`);
  const sessions = sessionsDirectory(home);
  await writeJournal(sessions, 'small', { bytes: smallBytes });
  await writeJournal(sessions, 'large', { bytes: largeBytes });
  for (const [command, ...options] of READING) {
    const peakOf = (id: string) => () => program.peak(home, command, id, ...options);
    yield {
      what: `peak memory of ${[command, ...options].join(' ')}, ${largeBytes / 1e6} MB`,
      unit: 'MB',
      subject: peakOf('large'),
      against: [{ name: `the same, ${smallBytes / 1e6} MB`, atMost: 2, run: peakOf('small') }],
      rounds: 1,
    };
  }
}
