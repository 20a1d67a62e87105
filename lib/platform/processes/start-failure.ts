// That a program could not be started, and why, in words for people.
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { ProgramStart } from './process-group.ts';

/** A program that could not be started. The message says which and why, as a sentence. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** Carries a start out, and gives its failure in words. @throws StartFailure */
export async function starting<Started>(
  { argv, cwd, name = argv[0] }: ProgramStart,
  start: () => Promise<Started>,
): Promise<Started> {
  if (!isAbsolute(argv[0])) throw new StartFailure(`${name} is not an absolute path of a program.`);
  if (argv.some((argument) => argument.includes('\0')))
    throw new StartFailure(`An argument of ${name} holds a NUL character, which no program can be given.`);
  const cwdProblem = whyNotDirectory(cwd);
  if (cwdProblem) throw new StartFailure(`${name} cannot be started in ${cwd}: ${cwdProblem}.`);
  try {
    return await start();
  } catch (error) {
    throw new StartFailure(`${name} cannot be started: ${startFailureReason(error)}.`, { cause: error });
  }
}

function whyNotDirectory(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'that is not a directory';
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? 'the directory is not there' : startFailureReason(error);
  }
}

/** The system's reason, for the middle of a sentence. */
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
