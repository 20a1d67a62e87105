// Two large sets of questions that come from this project itself, and were written for something else: subjects of
// commits, where the right files are those that the commit changed, in the project as it was before; and titles of
// tests, where the right file is the one that the tests are of, in a project without its tests. Half of each is held
// out: the ranking was tuned on the other half.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProjectFiles } from '../../lib/discovery/index.ts';
import type { ProjectFiles } from '../../lib/discovery/types.ts';

export interface ProjectQuestion {
  readonly question: string;
  /** Paths of the right files. */
  readonly files: readonly string[];
  readonly isHeldOut: boolean;
}

/** A project at one time, and questions about it. */
export interface ProjectSet {
  readonly files: ProjectFiles;
  readonly questions: readonly ProjectQuestion[];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The commits whose successors are asked about. */
const STATES = ['fb4e86ee6c85', '5e1598bb0771', '7aefe893ca7f', 'bcbe99b9a8fb'];
const COMMITS_OF_A_STATE = 150;
/** A commit that changes more is about no particular file. */
const MAX_CHANGED = 12;
/** They change with nearly everything. */
const UBIQUITOUS = /CHANGELOG|package-lock|generated|\.json$|decisions\/README/;
/** Folders without test titles. */
const WITHOUT_TESTS = /^(?:lib|docs|schemas)\//;

/** Empty where the history is not there. */
export function commitSets(): ProjectSet[] {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-states-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return STATES.flatMap((state) => {
    const root = join(directory, state);
    const archive = spawnSync('git', ['-C', ROOT, 'archive', state], { maxBuffer: 2 ** 28 });
    if (archive.status !== 0) return [];
    mkdirSync(root);
    spawnSync('tar', ['x', '-C', root], { input: archive.stdout });
    return [{ files: createProjectFiles({ root }), questions: subjectsAfter(state, root) }];
  });
}

function subjectsAfter(state: string, root: string): ProjectQuestion[] {
  const format = ['--reverse', '--no-merges', '--format=%x00%s', '--name-status'];
  const { stdout } = spawnSync('git', ['-C', ROOT, 'log', ...format, `${state}..HEAD`], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return stdout
    .split('\0')
    .slice(1, COMMITS_OF_A_STATE + 1)
    .flatMap((commit) => {
      const [question, ...lines] = commit.split('\n');
      const changes = lines.flatMap((line) => /^([AMDR])\d*\t([^\t]+)/.exec(line)?.slice(1) ?? []);
      const paths = changes.filter((_, index) => index % 2 === 1);
      const files = paths.filter(
        (path, index) => changes[index * 2] !== 'A' && !UBIQUITOUS.test(path) && existsSync(join(root, path)),
      );
      return files.length === 0 || paths.length > MAX_CHANGED ? [] : [asked(question!, files)];
    });
}

export function titleSet(): ProjectSet {
  const project = createProjectFiles({ root: ROOT });
  const files: ProjectFiles = {
    ...project,
    async list(options) {
      const listed = await project.list(options);
      return { ...listed, paths: listed.paths.filter((path) => WITHOUT_TESTS.test(path)) };
    },
    read: (path) => project.read(path),
  };
  const tests = readdirSync(join(ROOT, '__tests__'), { recursive: true, encoding: 'utf8' }).sort();
  const questions = tests.flatMap((path) => {
    const [, name] = /^(.*?)(?:\.property)?\.test\.ts$/.exec(path) ?? [];
    const tested = `lib/${name}.ts`;
    if (name === undefined || !existsSync(join(ROOT, tested))) return [];
    const text = readFileSync(join(ROOT, '__tests__', path), 'utf8');
    return [...text.matchAll(/\bit\(\s*'((?:[^'\\]|\\.)+)'/g)].map(([, title]) => asked(title!, [tested]));
  });
  return { files, questions };
}

function asked(question: string, files: readonly string[]): ProjectQuestion {
  return { question, files, isHeldOut: isHeldOut(question) };
}

export function isHeldOut(question: string): boolean {
  let hash = 7;
  for (const character of question) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return (hash >>> 3) % 2 === 1;
}
