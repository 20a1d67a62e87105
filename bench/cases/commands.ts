// What a person waits for, as whole processes: start, list and resume compared with an empty Node or a time that is
// felt; and the memory that reading a long journal takes, compared with a short one.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  sessionOf,
  sessionsDirectory,
  writeJournal,
  writeSessions,
} from '../../__tests__/support/generated-journals.ts';
import type { Case } from '../case.ts';
import { milliseconds } from '../measure.ts';
import { emptyNode, openTerminal, PROMPT, peakOf, runProgram, untilShown } from '../program.ts';

const READING = ['verify', 'tail -n 20', 'export --format md', 'export --format html', 'export --format jsonl'];

export const run: Case = async function* ({ size, home: newHome }) {
  const empty = newHome();
  const version = () => runProgram(empty, '--version');
  yield { what: 'ollm --version', ollm: version, against: [emptyNode(1.3)], rounds: 9 };
  const repl = () => untilShown(PROMPT, empty, 'repl', '--new', '--provider', 'offline');
  yield { what: 'REPL at its prompt', ollm: repl, against: [emptyNode(4)] };

  for (const [full, goal] of [
    [1_000, 4],
    [10_000, 6],
  ] as const) {
    const count = size(full, 20);
    const home = newHome(`list-${full}`);
    await writeSessions(sessionsDirectory(home), count);
    const what = `ollm list, ${count.toLocaleString('en')} sessions`;
    yield { what, ollm: () => runProgram(home, 'list'), against: [emptyNode(goal)] };
    const onTerminal = () => milliseconds(() => openTerminal(home, ['list']).ended);
    yield { what: `${what}, terminal`, ollm: onTerminal, against: [emptyNode(goal)] };
  }

  const count = size(100_000, 200);
  const what = `resume at ${count.toLocaleString('en')} events`;
  const home = newHome('resume');
  const sessions = sessionsDirectory(home);
  await (await sessionOf(sessions, 'long', count)).close('exit');
  const resume = () => untilShown(PROMPT, home, 'repl', '--resume', 'long', '--provider', 'offline');
  yield { what, ollm: resume, limit: 200 };
  const lost = () => {
    rmSync(join(sessions, 'long.state.json'));
    return resume();
  };
  yield { what: `${what}, state file lost`, ollm: lost, limit: 2500, rounds: 3 };

  const [small, large] = [size(10e6, 1e5), size(1e9, 1e6)];
  await writeJournal(sessions, 'small', { bytes: small });
  await writeJournal(sessions, 'large', { bytes: large });
  for (const reading of READING) {
    const [command, ...options] = reading.split(' ');
    const peak = (id: string) => () => peakOf(home, [command!, id, ...options]);
    const against = [[`the same, ${small / 1e6} MB`, peak('small'), 2]] as const;
    yield { what: `peak memory of ${reading}, ${large / 1e6} MB`, unit: 'MB', ollm: peak('large'), against, rounds: 1 };
  }
};
