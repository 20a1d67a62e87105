// Notes of this machine in `$OLLM_HOME/run`: empty files, derived and disposable. One that cannot be written is logged.
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { systemErrorCode } from '../errors/index.ts';

export type RunPlace = Pick<App, 'paths' | 'fileSystem' | 'log'>;

/** `name`: `turns` or `agents`. */
export function runDirectory({ paths }: RunPlace, name: string): string {
  return join(paths.home, 'run', name);
}

/** Undefined if the file system refuses. A missing file is not worth a warning. */
export function quietly<Result>({ log }: RunPlace, service: string, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') log.warn({ service, operation: 'note', error }, 'A note of what runs could not be written');
    return undefined;
  }
}
