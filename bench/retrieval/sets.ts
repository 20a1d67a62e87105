// Sets of questions with their right answers. Two large ones come from this project itself, and were written for
// something else: subjects of commits, where the right files are those that the commit changed, in the project as it
// was before; and titles of tests, where the right file is the tested one, in a project without its tests. The
// questions of newcomers, about eight packages as they are installed here and about ollm, and those about docs/ were
// written before the ranking was tuned. Half of all but the last is held out: the ranking was tuned on the other half.
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { createProjectFiles } from '../../lib/discovery/index.ts';
import type { ProjectFiles } from '../../lib/discovery/types.ts';
import { readQuery, wordsIn } from '../../lib/ranking/words.ts';

export interface PassagePlace {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

/** A question, and whether a passage answers it. */
interface JudgedQuestion {
  readonly question: string;
  readonly isRight: (passage: PassagePlace) => boolean;
  /** Names of the sets that it is in. */
  readonly sets: readonly string[];
}

/** A project at one time, and questions about it. */
export interface AskedProject {
  readonly files: ProjectFiles;
  readonly questions: readonly JudgedQuestion[];
}

const ROOT = join(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');
/** The commits whose successors are asked about. */
const STATES = ['fb4e86ee6c85', '5e1598bb0771', '7aefe893ca7f', 'bcbe99b9a8fb'];
const COMMITS_OF_A_STATE = 150;
/** A commit that changes more is about no particular file. */
const MAX_CHANGED = 12;
/** They change with nearly everything. */
const UBIQUITOUS = /CHANGELOG|package-lock|generated|\.json$|decisions\/README/;
/** Folders without test titles. */
const WITHOUT_TESTS = /^(?:lib|docs|schemas)\//;
/** All but the files that quote the questions of newcomers. */
const WITHOUT_QUESTIONS = /^(?!bench\/|__tests__\/bench\/)/;
/** Pages that were merged into others after the held-out questions were put aside. */
const MERGED: Readonly<Record<string, string>> = {
  'decisions/0002-synchronous-writes-asynchronous-syncs.md': 'decisions/0001-journal-is-the-truth.md',
  'decisions/0023-one-index-of-words-over-all-sessions.md': 'decisions/0012-lists-ask-a-catalogue.md',
};
/** Characters to each side of a passage's line that count as around it. */
const AROUND = 800;
/** Words that say nothing, except those that every search passes over. */
const FUNCTION_WORDS = new Set(
  `after before during may each only since once such same own another while because anything something everything last
  back never ever how much instead rather without up through`.split(/\s+/),
);

function linesOf<Line>(name: string): Line[] {
  const text = readFileSync(join(import.meta.dirname, name), 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as Line);
}

/** The project here, with some of its files. */
function filesHere(wanted: RegExp): ProjectFiles {
  const files = createProjectFiles({ root: ROOT });
  return {
    ...files,
    async list(options) {
      const listed = await files.list(options);
      return { ...listed, paths: listed.paths.filter((path) => wanted.test(path)) };
    },
  };
}

/** `files`: paths and globs of the right files. `key`: by its hash it is in one half. */
function asked(set: string, question: string, files: readonly string[], key = question): JudgedQuestion {
  let hashed = 7;
  for (const character of key) hashed = (hashed * 31 + character.charCodeAt(0)) >>> 0;
  return {
    question,
    isRight: ({ file }) => files.some((each) => each === file || (each.includes('*') && matchesGlob(file, each))),
    sets: [`${set}, ${(hashed >>> 3) % 2 === 1 ? 'held out' : 'tuned on'}`],
  };
}

/** Questions about pages of docs/ whose passage is still there. */
export function writtenSet(isHeldOut: boolean): AskedProject {
  const name = isHeldOut ? 'held-out.jsonl' : 'questions.jsonl';
  const expected = readFileSync(join(import.meta.dirname, 'held-out.sha256'), 'utf8').split(' ')[0];
  if (isHeldOut && hash('sha256', readFileSync(join(import.meta.dirname, name))) !== expected)
    throw new Error('held-out.jsonl is not what was put aside.');
  const label = isHeldOut ? 'written, held out' : 'written';
  const lines = linesOf<Readonly<Record<'question' | 'file' | 'passage', string>>>(name);
  const questions = lines.flatMap(({ question, passage, ...found }) => {
    const file = MERGED[found.file] ?? found.file;
    const path = join(DOCS, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // Lines may have been broken elsewhere since.
    const words = passage.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    const at = text.search(new RegExp(words.join('\\s+')));
    if (at < 0) process.stderr.write(`${file} no longer has “${passage}”.\n`);
    if (at < 0) return [];
    const number = text.slice(0, at).split('\n').length;
    const isRight = (place: PassagePlace) => place.file === file && place.first <= number && number <= place.last;
    const around = text.slice(Math.max(0, at - AROUND), at + AROUND);
    const stems = new Set([...wordsIn(around.slice(around.indexOf('\n') + 1))].map(({ stem }) => stem));
    const isNear = readQuery(question).terms.some(
      ({ shown, stem }) => stems.has(stem) && !FUNCTION_WORDS.has(shown.toLowerCase()),
    );
    return [{ question, isRight, sets: [label, `${label}, ${isNear ? 'a' : 'no'} word shared`] }];
  });
  return { files: createProjectFiles({ root: DOCS }), questions };
}

/** What newcomers ask of eight packages and of ollm, or of one of them. */
export function newcomerSets(only?: string): AskedProject[] {
  type Line = { readonly project: string; readonly question: string; readonly files: readonly string[] };
  const byProject = Map.groupBy(linesOf<Line>('newcomers.jsonl'), ({ project }) => project);
  return [...byProject]
    .filter(([project]) => (only ?? project) === project)
    .map(([project, lines]) => ({
      files:
        project === 'ollm'
          ? filesHere(WITHOUT_QUESTIONS)
          : createProjectFiles({ root: join(ROOT, 'node_modules', project) }),
      questions: lines.map(({ question, files }) => asked('newcomers', question, files, project + question)),
    }));
}

/** Empty where the history is not there. */
export function commitSets(): AskedProject[] {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-states-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return STATES.flatMap((state) => {
    const root = join(directory, state);
    const { status, stdout } = spawnSync('git', ['-C', ROOT, 'archive', state], { maxBuffer: 2 ** 28 });
    if (status !== 0) return [];
    mkdirSync(root);
    spawnSync('tar', ['x', '-C', root], { input: stdout });
    return [{ files: createProjectFiles({ root }), questions: subjectsAfter(state, root) }];
  });
}

function subjectsAfter(state: string, root: string): JudgedQuestion[] {
  const format = ['--reverse', '--no-merges', '--format=%x00%s', '--name-status'];
  const log = ['-C', ROOT, 'log', ...format, `${state}..HEAD`];
  const { stdout } = spawnSync('git', log, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const commits = stdout.split('\0').slice(1, COMMITS_OF_A_STATE + 1);
  return commits.flatMap((commit) => {
    const [subject, ...lines] = commit.split('\n');
    const changes = lines.flatMap((line) => {
      const [, status, path] = /^([AMDR])\d*\t([^\t]+)/.exec(line) ?? [];
      return path === undefined ? [] : [{ status, path }];
    });
    const right = changes.filter(
      ({ status, path }) => status !== 'A' && !UBIQUITOUS.test(path) && existsSync(join(root, path)),
    );
    if (right.length === 0 || changes.length > MAX_CHANGED) return [];
    return [
      asked(
        'commits',
        subject!,
        right.map(({ path }) => path),
      ),
    ];
  });
}

export function titleSet(): AskedProject {
  const tests = readdirSync(join(ROOT, '__tests__'), { recursive: true, encoding: 'utf8' }).sort();
  const questions = tests.flatMap((path) => {
    const [, name] = /^(.*?)(?:\.property)?\.test\.ts$/.exec(path) ?? [];
    const tested = `lib/${name}.ts`;
    if (name === undefined || !existsSync(join(ROOT, tested))) return [];
    const text = readFileSync(join(ROOT, '__tests__', path), 'utf8');
    return [...text.matchAll(/\bit\(\s*'((?:[^'\\]|\\.)+)'/g)].map(([, title]) => asked('titles', title!, [tested]));
  });
  return { files: filesHere(WITHOUT_TESTS), questions };
}
