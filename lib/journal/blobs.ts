// Content too large for a line, under its own sha256. The same content is stored once; putting it again renews the file,
// so that its age says when it was last needed. What is read is checked against its name.
import { createHash, webcrypto } from 'node:crypto';
import { join } from 'node:path';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import type { FileSystem } from '../platform/file-system.ts';
import { readFile } from '../platform/read-file.ts';
import { ensureDirectory } from './directory.ts';
import { guarded, guardedSync, type StoreContext } from './store-context.ts';
import { putWholeFile, sweepTemporaries } from './whole-file.ts';

export interface Blobs {
  put(bytes: Uint8Array): Promise<string>;
  read(sha256: string): Uint8Array | undefined;
}

const SHA256 = /^[0-9a-f]{64}$/;
/** Hashing more than this would be felt at the prompt: it is done on another thread. */
const LONG_BYTES = 1024 * 1024;

export function isBlobName(name: string): boolean {
  return SHA256.test(name);
}

export function blobsOf(context: StoreContext): Blobs {
  const { fileSystem, paths } = context;
  let isSwept = false;
  return {
    put(bytes) {
      return guarded('Cannot store an attachment', async () => {
        await ensureDirectory(context, paths.blobs);
        if (!isSwept) sweepTemporaries(context, paths.blobs);
        isSwept = true;
        const name = bytes.length > LONG_BYTES ? await sha256Aside(bytes) : sha256Of(bytes);
        await putWholeFile(context, paths.blobs, name, [bytes]);
        return name;
      });
    },
    read(sha256) {
      if (!isBlobName(sha256)) return undefined;
      const path = join(paths.blobs, sha256);
      const bytes = guardedSync(`Cannot read ${path}`, () => readIfThere(fileSystem, path));
      if (bytes !== undefined && sha256Of(bytes) !== sha256) {
        throw new OllmError('JOURNAL_DAMAGED', `The attachment ${path} is not what was stored under this name.`, {
          hint: 'Put the file back from a backup; the journal itself is not affected.',
          data: { path },
        });
      }
      return bytes;
    },
  };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function sha256Aside(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex');
}

function readIfThere(fileSystem: FileSystem, path: string): Uint8Array | undefined {
  try {
    return readFile(fileSystem, path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
