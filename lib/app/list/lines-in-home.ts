// The lines of a list that ollm keeps in its home, such as hidden sessions and handovers.
import { join } from 'node:path';
import { isSystemError, unless } from '../../errors/index.ts';
import { readFile } from '../../platform/files/io.ts';
import type { App } from '../app.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Without empty ones; none where the file is not there. */
export function linesInHome({ fileSystem, paths }: Pick<App, 'fileSystem' | 'paths'>, name: string): string[] {
  const limit = { maxBytes: MAX_FILE_BYTES };
  const bytes = unless(isSystemError, () => readFile(fileSystem, join(paths.home, name), limit));
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.filter((line) => line !== '');
}
