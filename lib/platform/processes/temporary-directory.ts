// Where files are made that lose their name immediately.
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';

const SYSTEM_DIRECTORY = '/tmp';

/**
 * The directory that TMPDIR names, or that of the system where TMPDIR names none that is there. `named`: the value of
 * TMPDIR where it is not that of this process.
 *
 * @example
 * mkdtempSync(join(temporaryDirectory(), 'ollm-'));
 */
export function temporaryDirectory(named: string = tmpdir()): string {
  return isAbsolute(named) && isDirectory(named) ? named : SYSTEM_DIRECTORY;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
