// `ollm blame` of a file that a thousand sessions changed four thousand times, by the processor time that git takes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  answerOf,
  claudePath,
  numberedId,
  promptOf,
  resultOf,
  writeClaude,
} from '../../__tests__/support/claude-session.ts';
import { seededRandom } from '../../__tests__/support/generated-session.ts';
import type { Case } from '../case.ts';
import { processorMs, runProgram, runToEnd } from '../program.ts';
import { wordSource } from '../words.ts';

const STARTED_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const SESSIONS_A_COMMIT = 4;
const EDITS_A_SESSION = 4;
const WORDS = 50;
const FILE = 'src/limits.ts';

export const run: Case = async function* ({ home: newHome, size }) {
  const home = newHome();
  const project = join(home, 'project');
  const sessions = size(1_000, 8);
  const lines = size(2_000, 100);
  writeProject(home, project, lines, sessions);
  runProgram(home, 'sync');
  const changes = (EDITS_A_SESSION * sessions).toLocaleString('en');
  const what = `ollm blame, ${lines.toLocaleString('en')} lines and ${changes} changes, processor`;
  // As ollm asks it.
  const blame = ['--no-pager', 'blame', '-w', '-M', '--line-porcelain', '--', FILE];
  const ollm = ofChildren(() => runProgram(home, 'blame', join(project, FILE)));
  const byGit = ofChildren(() => runToEnd('git', blame, { cwd: project }));
  yield { what, ollm, against: [['git blame -w -M', byGit, 3]] };
};

/** Processor time of `work`, which starts processes and waits for them. */
function ofChildren(work: () => unknown): () => number {
  return () => {
    const before = processorMs('children');
    work();
    return processorMs('children') - before;
  };
}

/** A repository with one file, and the sessions that wrote it: each edits four places, each fourth has a commit. */
function writeProject(home: string, project: string, lines: number, sessions: number): void {
  const random = seededRandom(37);
  const below = (limit: number) => Math.floor(random() * limit);
  const { word } = wordSource(WORDS, random);
  const lineOf = () => `  const ${word()}${below(10_000)} = ${word()}.${word()}(${below(100)}, ${word()});`;
  const text = Array.from({ length: lines }, (_, at) => (at % 9 === 8 ? '' : lineOf()));
  const commits = [commitOf(text, STARTED_MS)];
  const folder = project.replace(/[^A-Za-z0-9]/g, '-');
  for (let number = 0; number < sessions; number += 1) {
    const startedMs = STARTED_MS + (number + 1) * HOUR_MS;
    const records = [promptOf(`Change the limits, part ${number}`)];
    for (let edit = 0; edit < EDITS_A_SESSION; edit += 1) {
      const at = below(lines - 8);
      const old_string = text.slice(at, at + 8).join('\n');
      text.splice(at + 1, 6, ...Array.from({ length: 6 }, lineOf));
      const new_string = text.slice(at, at + 8).join('\n');
      const id = `toolu_${number}_${edit}`;
      const input = { file_path: join(project, FILE), old_string, new_string, replace_all: false };
      records.push(answerOf(`msg_${id}`, { type: 'tool_use', id, name: 'Edit', input }));
      records.push(resultOf(id, 'The file was edited.'));
    }
    const path = claudePath(home, number, folder);
    writeClaude(path, records, { cwd: project, startedMs, id: numberedId(number) });
    if (number % SESSIONS_A_COMMIT === SESSIONS_A_COMMIT - 1) commits.push(commitOf(text, startedMs + HOUR_MS / 2));
  }
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, FILE), `${text.join('\n')}\n`);
  const inProject = { cwd: project };
  runToEnd('git', ['init', '-q', '-b', 'main'], inProject);
  runToEnd('git', ['fast-import', '--quiet'], { ...inProject, input: commits.join('') });
  runToEnd('git', ['reset', '-q'], inProject);
}

function commitOf(text: readonly string[], atMs: number): string {
  const author = `Ada <ada@example.org> ${atMs / 1000} +0000`;
  const content = `${text.join('\n')}\n`;
  const head = ['commit refs/heads/main', `author ${author}`, `committer ${author}`, 'data 5', 'limit'];
  return [...head, `M 100644 inline ${FILE}`, `data ${content.length}`, content, ''].join('\n');
}
