// The token that programs come in with: made at the first start, in a file that only its owner can read.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { App } from '../app/app.ts';
import { OllmError } from '../errors/index.ts';
import type { Announced } from '../host/server-file.ts';
import { writeAll } from '../platform/files/io.ts';
import { readOwnFile } from '../platform/files/own-file.ts';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{32,256}$/;
const MAX_FILE_BYTES = 1024;
const FILE_PERMISSIONS = 0o600;

/**
 * The token in a file; a new token if there is no file yet.
 * @throws OllmError CONFIG_INVALID (the file holds no token, or others can read it), IO_FAILED
 */
export async function readOrMakeToken(app: Pick<App, 'fileSystem' | 'process'>, path: string): Promise<string> {
  return readToken(app, path) ?? makeToken(app, path);
}

/** The token file of a server that was given no other one. */
export function usualTokenFile({ config, paths }: Pick<App, 'config' | 'paths'>): string {
  return config.server.tokenFile ?? join(paths.home, 'server-token');
}

/** The token of a server of this home. Undefined if there is no file. @throws as above */
export function tokenOf(app: App, { tokenFile }: Pick<Announced, 'tokenFile'>): string | undefined {
  return readToken(app, tokenFile ?? usualTokenFile(app));
}

/** Undefined if there is no file. @throws as above */
function readToken({ fileSystem, process }: Pick<App, 'fileSystem' | 'process'>, path: string): string | undefined {
  const file = wordingErrors(path, () => readOwnFile(fileSystem, path, { uid: process.uid, maxBytes: MAX_FILE_BYTES }));
  if (file.kind === 'absent') return undefined;
  if (file.kind === 'untrusted') throw unusable(path, file.problem);
  if (((fileSystem.stat(path)?.mode ?? 0) & 0o077) !== 0) throw unusable(path, 'can be read by other users');
  const token = Buffer.from(file.content).toString('latin1').trim();
  if (!TOKEN.test(token)) throw unusable(path, 'does not hold a token: 32 to 256 letters, digits, “-” and “_”');
  return token;
}

async function makeToken(app: Pick<App, 'fileSystem' | 'process'>, path: string): Promise<string> {
  const { fileSystem } = app;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return wordingErrors(path, async () => {
    fileSystem.makeDirectory(dirname(path));
    let handle: ReturnType<typeof fileSystem.open>;
    try {
      handle = fileSystem.open(path, 'create', FILE_PERMISSIONS);
    } catch (error) {
      // A second server was started at the same moment.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const theirs = readToken(app, path);
      if (theirs !== undefined) return theirs;
      throw error;
    }
    try {
      writeAll(handle, Buffer.from(`${token}\n`));
      await handle.sync();
    } finally {
      handle.close();
    }
    return token;
  });
}

function unusable(path: string, problem: string): OllmError {
  return new OllmError('CONFIG_INVALID', `The token file ${path} ${problem}.`, {
    hint: 'Remove it: the next start makes a new one. Programs then need the new token.',
    data: { path },
  });
}

function wordingErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof OllmError) throw error;
    throw new OllmError('IO_FAILED', `The token file ${path} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
