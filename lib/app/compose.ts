// The only place that makes adapters: disk, clock, log, store. Loads little, so that `--version` and `list` start at once:
// providers, rxjs, yaml and the tokenizer come when they are used.
import type { LogLevel } from '../platform/log.ts';
import type { App, Environment, StorageMode } from './app.ts';

export interface AppFlags {
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  readonly logLevel?: LogLevel | undefined;
  /** Overrides `services.session.mode`. */
  readonly mode?: StorageMode | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

export interface AppOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly flags?: AppFlags | undefined;
  /** What this process is, for people: “ollm repl”. */
  readonly command: string;
  /** Parts to use instead of the real ones, for tests and for programs that embed ollm. */
  readonly parts?: Partial<Pick<App, 'fileSystem' | 'clock' | 'ids' | 'process' | 'log' | 'store'>> | undefined;
}

/** @throws OllmError CONFIG_INVALID */
export async function createApp(_options: AppOptions): Promise<App> {
  throw new TypeError('not there yet');
}
