// A repository with one file, and the sessions of Claude Code that wrote it: what `ollm blame` is asked about.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from './generated-session.ts';

const STARTED_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const SESSIONS_A_COMMIT = 4;
const EDITS_A_SESSION = 4;
const WORDS = 'limit session journal event reader writer offset count state options signal path line batch'.split(' ');

interface Sizes {
  readonly lines: number;
  readonly sessions: number;
}

export interface BlamedProject {
  readonly directory: string;
  readonly file: string;
}

/** Each session edits four places of the file, and each fourth one ends with a commit. `home`: of the user. */
export function writeBlamedProject(home: string, { lines, sessions }: Sizes): BlamedProject {
  const directory = join(home, 'project');
  const file = 'src/limits.ts';
  const random = seededRandom(37);
  const below = (limit: number) => Math.floor(random() * limit);
  const word = () => WORDS[below(WORDS.length)]!;
  const lineOf = () => `  const ${word()}${below(10_000)} = ${word()}.${word()}(${below(100)}, ${word()});`;
  const text = Array.from({ length: lines }, (_, at) => (at % 9 === 8 ? '' : lineOf()));
  const commits = [commitOf(file, text, STARTED_MS)];
  const folder = join(home, '.claude/projects', directory.replace(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < sessions; number += 1) {
    const startedMs = STARTED_MS + (number + 1) * HOUR_MS;
    const edits = Array.from({ length: EDITS_A_SESSION }, () => {
      const at = below(lines - 8);
      const before = text.slice(at, at + 8);
      text.splice(at + 1, 6, ...Array.from({ length: 6 }, lineOf));
      return { old_string: before.join('\n'), new_string: text.slice(at, at + 8).join('\n') };
    });
    const id = `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
    writeFileSync(join(folder, `${id}.jsonl`), sessionOf({ id, directory, file, edits, startedMs }));
    if (number % SESSIONS_A_COMMIT === SESSIONS_A_COMMIT - 1) {
      commits.push(commitOf(file, text, startedMs + HOUR_MS / 2));
    }
  }
  mkdirSync(join(directory, 'src'), { recursive: true });
  writeFileSync(join(directory, file), `${text.join('\n')}\n`);
  writeFileSync(join(directory, 'one.ts'), 'export const one = 1;\n');
  git(directory, ['init', '-q', '-b', 'main']);
  git(directory, ['fast-import', '--quiet'], commits.join(''));
  git(directory, ['reset', '-q']);
  return { directory, file };
}

/** As ollm asks it. */
export function gitBlameOf({ directory, file }: BlamedProject): void {
  git(directory, ['--no-pager', 'blame', '-w', '-M', '--line-porcelain', '--', file]);
}

interface Session {
  readonly id: string;
  readonly directory: string;
  readonly file: string;
  readonly edits: readonly { readonly old_string: string; readonly new_string: string }[];
  readonly startedMs: number;
}

function sessionOf({ id, directory, file, edits, startedMs }: Session): string {
  const rows: string[] = [];
  const add = (record: object) => {
    const uuid = `${rows.length.toString(16).padStart(8, '0')}${id.slice(8)}`;
    const parentUuid = rows.length === 0 ? null : `${(rows.length - 1).toString(16).padStart(8, '0')}${id.slice(8)}`;
    const timestamp = new Date(startedMs + rows.length * 1000).toISOString();
    const context = { userType: 'external', cwd: directory, sessionId: id, version: '2.1.330', gitBranch: 'main' };
    rows.push(JSON.stringify({ parentUuid, isSidechain: false, ...record, uuid, timestamp, ...context }));
  };
  const user = (content: unknown) => add({ type: 'user', message: { role: 'user', content } });
  user(`Change the limits, part ${id.slice(0, 8)}`);
  for (const [at, edit] of edits.entries()) {
    const call = `toolu_${id.slice(0, 8)}_${at}`;
    const input = { file_path: join(directory, file), ...edit, replace_all: false };
    const message = { id: `msg_${call}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5' };
    const content = [{ type: 'tool_use', id: call, name: 'Edit', input }];
    add({ type: 'assistant', message: { ...message, content, stop_reason: 'tool_use' } });
    user([{ tool_use_id: call, type: 'tool_result', content: 'The file was edited.' }]);
  }
  return `${rows.join('\n')}\n`;
}

function commitOf(file: string, text: readonly string[], atMs: number): string {
  const who = `Ada <ada@example.org> ${atMs / 1000} +0000`;
  const content = `${text.join('\n')}\n`;
  const head = ['commit refs/heads/main', `author ${who}`, `committer ${who}`, 'data 5', 'limit'];
  return [...head, `M 100644 inline ${file}`, `data ${content.length}`, content, ''].join('\n');
}

function git(directory: string, args: readonly string[], input = ''): void {
  const env = { PATH: process.env.PATH, HOME: directory, LC_ALL: 'C.UTF-8' };
  const { status, stderr } = spawnSync('git', args, { cwd: directory, env, input, maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`git ${args[0]} ended with ${status}: ${stderr}`);
}
