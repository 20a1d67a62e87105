// What every command is given: the global flags, an output, the signal to stop, and the app when it asks for one.
import type { App, StorageMode } from '../app/app.ts';
import { readSettings, type Settings, type SettingsOptions } from '../app/start/settings.ts';
import { OllmError } from '../errors/index.ts';
import type { LogLevel } from '../platform/log.ts';
import { createInterruption } from './interruption.ts';
import { createOutput, type Output } from './output.ts';
import { StandardOutput } from './standard-output.ts';

/** As commander hands them over. */
export interface GlobalFlags {
  readonly home?: string;
  readonly config?: string;
  readonly logLevel?: LogLevel;
  readonly color: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly allowNetworkFs?: boolean;
}

interface AppWishes {
  readonly mode?: StorageMode | undefined;
  /** `--rag`. */
  readonly retrieval?: boolean | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** The caller prints the warnings of the app. */
  readonly silent?: boolean;
  /** Nothing on the disk is changed. */
  readonly changeNothing?: boolean;
  /** Nothing is asked on the terminal: another program has started this one. */
  readonly asksNothing?: boolean;
}

export interface Shell {
  readonly flags: GlobalFlags;
  readonly output: Output;
  readonly input: NodeJS.ReadStream;
  /** Aborted by a signal to the process. A command that uses it closes its session and returns. */
  readonly signal: AbortSignal;
  /** What a signal made the exit code. */
  readonly interruptedBy: number | undefined;
  /** The app that was made, if one was. */
  readonly app: App | undefined;
  /** The sources of this run's settings. */
  settingsOptions(command: string): SettingsOptions;
  /** The settings of this run. Reports once what had to be left out of the configuration. */
  readSettings(command: string, wishes?: AppWishes): Promise<Settings>;
  /** Makes the app of this run, with the settings if they were read, and says the same. */
  openApp(command: string, wishes?: AppWishes): Promise<App>;
}

export function createShell(flags: GlobalFlags): Shell {
  const output = createOutput({
    results: new StandardOutput('stdout'),
    errors: new StandardOutput('stderr'),
    color: flags.color && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    json: flags.json === true,
    quiet: flags.quiet === true,
  });
  const interruption = createInterruption();
  let app: App | undefined;
  let settings: Settings | undefined;
  return {
    flags,
    output,
    get input() {
      return process.stdin;
    },
    get signal() {
      return interruption.signal;
    },
    get interruptedBy() {
      return interruption.exitCode;
    },
    get app() {
      return app;
    },
    settingsOptions: (command) => optionsFrom(command, flags, {}),
    async readSettings(command, wishes = {}) {
      settings = await readSettings(optionsFrom(command, flags, wishes));
      tell(wishes, settings);
      return settings;
    },
    async openApp(command, wishes = {}) {
      const { createApp } = await import('../app/compose.ts');
      const parts = wishes.asksNothing ? { askPassphrase: () => undefined } : {};
      app = await createApp({ ...optionsFrom(command, flags, wishes), settings, parts });
      if (settings === undefined) tell(wishes, app);
      return app;
    },
  };

  function tell({ silent = false }: AppWishes, { warnings }: Pick<Settings, 'warnings'>): void {
    if (!silent) for (const warning of warnings) output.warn(warning);
  }
}

function optionsFrom(command: string, flags: GlobalFlags, wishes: AppWishes): SettingsOptions {
  const { home, config, logLevel, allowNetworkFs: allowNetworkFileSystem } = flags;
  const { mode, provider, model, retrieval, changeNothing } = wishes;
  return {
    command: `ollm ${command}`,
    env: process.env,
    cwd: currentDirectory(),
    changeNothing,
    // An empty --home is a variable of the caller's that was not set.
    flags: { home: home || undefined, config, logLevel, allowNetworkFileSystem, mode, provider, model, retrieval },
  };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new OllmError('IO_FAILED', 'The current directory no longer exists.', {
      hint: 'Change to another directory, and run the command again.',
      cause,
    });
  }
}
