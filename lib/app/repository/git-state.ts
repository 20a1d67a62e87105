// Branch and commit of a directory's repository, read from its files: no git is started, nothing is written. In unusual
// cases (no commit yet, a packed ref), the result is less complete rather than wrong.
import { join, resolve } from 'node:path';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { upwards } from '../../platform/files/inside.ts';
import { gitRemote } from '../../platform/git-remote.ts';
import { readTextFile } from './read-text-file.ts';

const MAX_BYTES = 1024 * 1024;

interface GitState {
  readonly root: string;
  readonly branch?: string;
  readonly commit?: string;
  /** See gitRemote: of origin, else of any other. */
  readonly remote?: string;
  /** Where origin is a directory of this machine, that directory. */
  readonly origin?: string;
}

export function gitState(fileSystem: FileSystem, directory: string): GitState | undefined {
  const read = (path: string): string | undefined => readTextFile(fileSystem, path, MAX_BYTES)?.trim();
  const root = [...upwards(directory)].find((folder) => fileSystem.stat(join(folder, '.git')) !== undefined);
  if (root === undefined) return undefined;
  const gitDirectory = gitDirectoryOf(root, fileSystem, read);
  // A worktree keeps its branches and settings in the directory of the main one.
  const common = read(join(gitDirectory, 'commondir'));
  const shared = common === undefined ? gitDirectory : resolve(gitDirectory, common);
  const urls = urlsIn(read(join(shared, 'config')) ?? '');
  const remote = urls.map(gitRemote).find((each) => each !== undefined);
  const origin = urls[0] === undefined ? undefined : localPath(urls[0]);
  const here = { root, ...(remote === undefined ? {} : { remote }), ...(origin === undefined ? {} : { origin }) };
  const head = read(join(gitDirectory, 'HEAD'));
  if (head === undefined) return here;
  const reference = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  if (reference === undefined) return isCommit(head) ? { ...here, commit: head } : here;
  const commit = read(join(shared, reference)) ?? packed(read(join(shared, 'packed-refs')), reference);
  const branch = reference.replace(/^refs\/heads\//, '');
  return { ...here, branch, ...(isCommit(commit) ? { commit } : {}) };
}

/** The addresses in the settings of a repository, that of origin first. Included files are not followed. */
function urlsIn(config: string): readonly string[] {
  const remotes = [...config.matchAll(/^\s*\[remote "([^"]*)"\]\s*$([^[]*)/gm)].flatMap(([, name, body = '']) => {
    const url = /^\s*url\s*=\s*(\S.*?)\s*$/m.exec(body)?.[1];
    return url === undefined ? [] : [{ url, isOrigin: name === 'origin' }];
  });
  return remotes.toSorted((a, b) => Number(b.isOrigin) - Number(a.isOrigin)).map(({ url }) => url);
}

/** The root of the repository that a clone of this machine names: git writes it absolute. */
function localPath(url: string): string | undefined {
  const path = url.replace(/^file:\/\//, '');
  return path.startsWith('/') ? path.replace(/\/+$/, '').replace(/\/\.git$/, '') : undefined;
}

/**
 * A name of the project of a directory, the same for its clones: the remote, else the repository that it was cloned
 * from here. Undefined for a repository that names no other one.
 */
export function remoteOf(fileSystem: FileSystem, directory: string): string | undefined {
  const { remote, origin } = gitState(fileSystem, directory) ?? {};
  return remote ?? (origin === undefined ? undefined : nameOfOrigin(origin));
}

/** As the address of a repository on this machine. */
export function nameOfOrigin(root: string): string {
  return `file://${root}`;
}

/** `.git` is a directory, or a file that says where that is. */
export function gitDirectoryOf(
  root: string,
  fileSystem: FileSystem,
  read: (path: string) => string | undefined,
): string {
  const path = join(root, '.git');
  if (fileSystem.stat(path)?.kind !== 'file') return path;
  const target = /^gitdir: (.+)$/m.exec(read(path) ?? '')?.[1];
  return target === undefined ? path : resolve(root, target);
}

function packed(list: string | undefined, reference: string): string | undefined {
  return list
    ?.split('\n')
    .find((line) => line.endsWith(` ${reference}`))
    ?.split(' ')[0];
}

function isCommit(text: string | undefined): text is string {
  return text !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
