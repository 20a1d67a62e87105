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
}

export function gitState(fileSystem: FileSystem, directory: string): GitState | undefined {
  const read = (path: string): string | undefined => readTextFile(fileSystem, path, MAX_BYTES)?.trim();
  const root = [...upwards(directory)].find((folder) => fileSystem.stat(join(folder, '.git')) !== undefined);
  if (root === undefined) return undefined;
  const gitDirectory = gitDirectoryOf(root, fileSystem, read);
  // A worktree keeps its branches and settings in the directory of the main one.
  const common = read(join(gitDirectory, 'commondir'));
  const shared = common === undefined ? gitDirectory : resolve(gitDirectory, common);
  const remote = remoteIn(read(join(shared, 'config')) ?? '');
  const here = { root, ...(remote === undefined ? {} : { remote }) };
  const head = read(join(gitDirectory, 'HEAD'));
  if (head === undefined) return here;
  const reference = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  if (reference === undefined) return isCommit(head) ? { ...here, commit: head } : here;
  const commit = read(join(shared, reference)) ?? packed(read(join(shared, 'packed-refs')), reference);
  const branch = reference.replace(/^refs\/heads\//, '');
  return { ...here, branch, ...(isCommit(commit) ? { commit } : {}) };
}

/** From the settings of a repository. Included files are not followed. */
function remoteIn(config: string): string | undefined {
  const remotes = [...config.matchAll(/^\s*\[remote "([^"]*)"\]\s*$([^[]*)/gm)].flatMap(([, name, body = '']) => {
    const url = /^\s*url\s*=\s*(\S+)\s*$/m.exec(body)?.[1];
    const remote = url === undefined ? undefined : gitRemote(url);
    return remote === undefined ? [] : [{ name, remote }];
  });
  return (remotes.find(({ name }) => name === 'origin') ?? remotes[0])?.remote;
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
