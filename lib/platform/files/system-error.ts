// Errors as the operating system words them, for a disk that is not one: the memory file system and the faulty one of
// the tests. Same `code`, `errno`, `syscall` and message as node:fs gives, so that nobody above can tell them apart.
import { constants } from 'node:os';
import { getSystemErrorMessage } from 'node:util';

export type SystemErrorCode = keyof typeof constants.errno;

export function systemError(code: SystemErrorCode, syscall: string, path?: string): NodeJS.ErrnoException {
  const errno = -constants.errno[code];
  const where = path === undefined ? syscall : `${syscall} '${path}'`;
  const message = `${code}: ${getSystemErrorMessage(errno) ?? 'unknown error'}, ${where}`;
  return Object.assign(new Error(message), { errno, code, syscall, ...(path === undefined ? {} : { path }) });
}
