// Where files are made that lose their name at once.
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';

const SYSTEM_DIRECTORY = '/tmp';

/**
 * The directory that TMPDIR names, or that of the system where TMPDIR names none that is there.
 *
 * @example
 * mkdtempSync(join(temporaryDirectory(), 'ollm-'));
 */
export function temporaryDirectory(): string {
  const named = tmpdir();
  return isDirectory(named) ? named : SYSTEM_DIRECTORY;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
