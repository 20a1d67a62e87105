// What a program that may write is given, so that git reports no file as changed that is only hidden from it.
import { join } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import { isInside, upwards } from '../../platform/files/inside.ts';
import { readFile } from '../../platform/files/io.ts';
import { unchangedInGit } from '../../tools/git-hidden-files.ts';
import type { WriterView } from '../../tools/run-program.ts';
import type { App } from '../app.ts';
import { gitDirectoryOf } from '../repository/git-state.ts';
import { readTextFile } from '../repository/read-text-file.ts';
import { gitOfUser } from './git-of-user.ts';

interface HiddenFromGitOptions {
  readonly cwd: string;
  /** Paths that the program does not see. */
  readonly hidden: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

const MAX_LINK_BYTES = 4096;

/** Nothing outside of a repository, and where no file in it is hidden. */
export function hiddenFromGit(app: App, { cwd, hidden, variables }: HiddenFromGitOptions): WriterView {
  const { fileSystem } = app;
  const top = [...upwards(cwd)].find((folder) => fileSystem.stat(join(folder, '.git')) !== undefined);
  if (top === undefined) return {};
  const inside = hidden.filter((path) => path !== top && isInside(top, path) && fileSystem.stat(path)?.kind === 'file');
  if (inside.length === 0) return {};
  const inRepository = (path: string) => path.slice(top.length + 1);
  const index = indexOf(app, top);
  const isTracked = (path: string) => index.includes(`${inRepository(path)}\0`);
  const settings = Number(variables.GIT_CONFIG_COUNT) || 0;
  const { attributes } = gitOfUser(app);
  return {
    blank: inside.filter(isTracked),
    given: [unchangedInGit({ hidden: inside.map(inRepository), attributes, settings })],
  };
}

/** The file has each path as it is, followed by NUL; one of version 4, which shortens them, is taken for empty. */
function indexOf({ fileSystem }: App, top: string): Buffer {
  try {
    const directory = gitDirectoryOf(top, fileSystem, (path) => readTextFile(fileSystem, path, MAX_LINK_BYTES)?.trim());
    return Buffer.from(readFile(fileSystem, join(directory, 'index')));
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return Buffer.alloc(0);
  }
}
