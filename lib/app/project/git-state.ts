// Branch and commit of the repository that a directory lies in, read from its files: no git is started, nothing is
// written. Where something is unusual (no commit yet, a packed ref), less is said rather than something wrong.
import { join, resolve } from 'node:path';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { upwards } from '../../platform/files/inside.ts';
import { readTextFile } from '../read-text-file.ts';

const MAX_BYTES = 1024 * 1024;

export interface GitState {
  readonly root: string;
  readonly branch?: string;
  readonly commit?: string;
}

export function gitState(fileSystem: FileSystem, directory: string): GitState | undefined {
  const read = (path: string): string | undefined => readTextFile(fileSystem, path, MAX_BYTES)?.trim();
  const root = [...upwards(directory)].find((folder) => fileSystem.stat(join(folder, '.git')) !== undefined);
  if (root === undefined) return undefined;
  const gitDirectory = gitDirectoryOf(root, fileSystem, read);
  const head = read(join(gitDirectory, 'HEAD'));
  if (head === undefined) return { root };
  const reference = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  if (reference === undefined) return isCommit(head) ? { root, commit: head } : { root };
  // A worktree keeps its branches in the directory of the main one.
  const common = read(join(gitDirectory, 'commondir'));
  const references = common === undefined ? gitDirectory : resolve(gitDirectory, common);
  const commit = read(join(references, reference)) ?? packed(read(join(references, 'packed-refs')), reference);
  const branch = reference.replace(/^refs\/heads\//, '');
  return { root, branch, ...(isCommit(commit) ? { commit } : {}) };
}

/** `.git` is a directory, or a file that says where that is. */
function gitDirectoryOf(root: string, fileSystem: FileSystem, read: (path: string) => string | undefined): string {
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
