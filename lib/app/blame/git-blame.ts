// The commit of each line of a file, as git tells it. git is started only where the repository cannot make it start
// another program; a git of the project itself is not started.
import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { type BlamedLine, blamedLines } from '../../blame/git-lines.ts';
import { PROGRAM_DEFAULTS, READING_DEFAULTS } from '../../environment/program-defaults.ts';
import { OllmError } from '../../errors/index.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import type { App } from '../app.ts';
import { gitReach } from '../repository/git-reach.ts';

const LIMIT_MS = 120_000;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

interface GitBlameRequest {
  /** Absolute. */
  readonly path: string;
  /** The root of its repository. */
  readonly root: string;
  readonly rev?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `reason`: as the end of a sentence about git. */
type GitBlame =
  | { readonly kind: 'done'; readonly lines: readonly BlamedLine[] }
  | { readonly kind: 'not-asked'; readonly reason: string };

/** @throws OllmError USAGE: the revision is unknown */
export async function gitBlame(app: App, { path, root, rev, signal }: GitBlameRequest): Promise<GitBlame> {
  const { env, fileSystem } = app;
  const { risk } = gitReach(fileSystem, root, { project: root });
  if (risk !== undefined) return { kind: 'not-asked', reason: risk };
  const git = gitProgram(app, root);
  if (git === undefined) return { kind: 'not-asked', reason: 'it is not installed' };
  const name = relative(root, path);
  // A revision that begins with a dash would be an option.
  if (rev !== undefined && !/^[\w@^~{}./:-]+$/.test(rev.replace(/^-/, ' '))) throw noRevision(rev);
  const question = ['--no-pager', 'blame', '-w', '-M', '--line-porcelain', ...(rev === undefined ? [] : [rev])];
  try {
    const { stdout } = await promisify(execFile)(git, [...question, '--', name], {
      cwd: root,
      env: { PATH: env.PATH, HOME: env.HOME, LC_ALL: 'C.UTF-8', ...PROGRAM_DEFAULTS, ...READING_DEFAULTS },
      timeout: LIMIT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      signal,
    });
    return { kind: 'done', lines: blamedLines(stdout) };
  } catch (error) {
    if (signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.', { cause: error });
    const said = String((error as { readonly stderr?: unknown }).stderr ?? '').split('\n', 1)[0]!;
    if (rev !== undefined) throw noRevision(rev, error);
    return { kind: 'not-asked', reason: /no such path/i.test(said) ? 'the file is not in it' : 'it failed' };
  }
}

function gitProgram({ env, cwd, paths }: App, root: string): string | undefined {
  try {
    return findProgram('git', { path: env.PATH, cwd, untrusted: [paths.project, root] });
  } catch {
    return undefined;
  }
}

function noRevision(rev: string, cause?: unknown): OllmError {
  return new OllmError('USAGE', `git knows no revision ${JSON.stringify(rev)} that has this file.`, {
    hint: 'Name a commit, a branch or a tag.',
    cause,
  });
}
