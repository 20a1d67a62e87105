// The file that a system prompt comes from: one place, however it was named, and the bytes that are there.
import { resolve } from 'node:path';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { readFile } from '../platform/files/io.ts';

const MAX_PROMPT_BYTES = 1024 * 1024;

/** All links resolved: one file is one place, whichever way it was named. @throws OllmError IO_FAILED */
export function promptFilePath(fileSystem: FileSystem, cwd: string, file: string): string {
  try {
    return fileSystem.realPath(resolve(cwd, file));
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** `path` has its links resolved; `file` is how it was named. @throws OllmError IO_FAILED */
export function promptFileBytes(fileSystem: FileSystem, path: string, file: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = readFile(fileSystem, path, { maxBytes: MAX_PROMPT_BYTES + 1 });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw unreadable(file, error);
  }
  if (bytes.length > MAX_PROMPT_BYTES) throw unreadable(file);
  return bytes;
}

function unreadable(file: string, cause?: unknown): OllmError {
  return new OllmError('IO_FAILED', `The prompt file ${file} cannot be read.`, {
    hint: `It must be a text file of at most ${MAX_PROMPT_BYTES / 1024} KiB.`,
    data: { file },
    ...(cause === undefined ? {} : { cause }),
  });
}
