// What every command is given: the global flags, an output, the signal to stop, and the app when it asks for one.
import type { App, StorageMode } from '../app/app.ts';
import { OllmError } from '../errors/index.ts';
import type { LogLevel } from '../platform/log.ts';
import { createInterruption } from './interruption.ts';
import { createOutput, type Output } from './output.ts';

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

export interface AppWishes {
  readonly mode?: StorageMode | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** Whoever gets the app tells its warnings. */
  readonly silent?: boolean;
}

export interface Shell {
  readonly flags: GlobalFlags;
  readonly output: Output;
  readonly input: NodeJS.ReadStream;
  /** Aborted when the process is told to stop. A command that asks for it closes what it has open and returns. */
  readonly signal: AbortSignal;
  /** What a signal made the exit code. */
  readonly interruptedBy: number | undefined;
  /** The app that was made, if one was. */
  readonly app: App | undefined;
  /** Makes the app of this run, and says what it had to leave out of the configuration. */
  openApp(command: string, wishes?: AppWishes): Promise<App>;
}

export function createShell(flags: GlobalFlags): Shell {
  const output = createOutput({
    stdout: process.stdout,
    stderr: process.stderr,
    color: flags.color && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    json: flags.json === true,
    quiet: flags.quiet === true,
  });
  const interruption = createInterruption();
  let app: App | undefined;
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
    async openApp(command, { silent = false, ...wishes } = {}) {
      const { createApp } = await import('../app/compose.ts');
      const { home, config, logLevel, allowNetworkFs: allowNetworkFileSystem } = flags;
      app = await createApp({
        env: process.env,
        cwd: currentDirectory(),
        // An empty one is a variable of the caller's that was not set.
        flags: { home: home || undefined, config, logLevel, allowNetworkFileSystem, ...wishes },
        command: `ollm ${command}`,
      });
      if (!silent) for (const warning of app.warnings) output.warn(warning);
      return app;
    },
  };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new OllmError('IO_FAILED', 'The current directory is not there any more.', {
      hint: 'Change to one that is, and run the command again.',
      cause,
    });
  }
}
