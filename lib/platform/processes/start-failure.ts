// That a program could not be started, and why, in words for people.
import { systemErrorCode } from '../../errors/index.ts';

/** A program that could not be started. The message says which and why, as a sentence. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** What the system said, in the middle of a sentence. */
export function startFailureReason(error: unknown): string {
  switch (systemErrorCode(error)) {
    case 'E2BIG':
      return 'its arguments and environment are too long; hand long text over in a file or on standard input';
    case 'EAGAIN':
      return 'this user may start no more processes';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    case 'ENOMEM':
      return 'there is not enough memory';
    case 'ENOENT':
      return 'the program, or the interpreter that its first line names, is not there';
    case 'EACCES':
      return 'permission was denied';
    default:
      return (error as Error).message;
  }
}
