// `ollm blame` of a file that a thousand sessions changed four thousand times, and of one that none did, by the
// processor time that git takes for the first.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitBlameOf, writeBlamedProject } from '../blamed-project.ts';
import type { Case } from '../case.ts';
import { emptyNode, programIn } from '../program.ts';

const TICK_MS = 10;

export const run: Case = async function* ({ directory, size, progress }) {
  const program = programIn(directory);
  const home = join(directory, 'home');
  const sessions = size(1_000, 8);
  const lines = size(2_000, 100);
  progress(`writing ${sessions} sessions`);
  const project = writeBlamedProject(home, { lines, sessions });
  program.run(home, 'sync');
  const blame = (file: string) => program.run(home, 'blame', join(project.directory, file));
  const ofGit = () => gitBlameOf(project);
  const what = `ollm blame, ${lines.toLocaleString('en')} lines and ${(4 * sessions).toLocaleString('en')} changes`;
  const git = { name: 'git blame -w -M', atMost: 3, run: childrenMs(ofGit) };
  yield { what: `${what}, processor`, subject: childrenMs(() => blame(project.file)), against: [git] };
  const small = { name: 'node -e 0', atMost: 6, run: childrenMs(emptyNode) };
  yield {
    what: 'ollm blame, a file of one line, processor',
    subject: childrenMs(() => blame('one.ts')),
    against: [small],
  };
};

/** Processor time of `work`, which starts processes and waits for them. On Linux. */
function childrenMs(work: () => unknown): () => number {
  return () => {
    const before = takenByChildren();
    work();
    return takenByChildren() - before;
  };
}

function takenByChildren(): number {
  const [user, system] = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ').slice(13, 15);
  return TICK_MS * (Number(user) + Number(system));
}
