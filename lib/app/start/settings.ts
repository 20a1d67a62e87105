// What a run of the program starts from, before anything is opened: its settings in their layers, and where its files
// are. A command that is answered from one file needs no more than this.
import { isAbsolute, join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import type { ConfigFlags, LoadedConfig } from '../../config/types.ts';
import { OllmError } from '../../errors/index.ts';
import { systemClock } from '../../platform/clock.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { upwards } from '../../platform/files/inside.ts';
import { nodeFileSystem } from '../../platform/files/node-file-system.ts';
import { thisProcess } from '../../platform/processes/process-info.ts';
import type { App, Environment } from '../app.ts';
import { homeDirectoryOf } from './home-directory.ts';
import { noProject } from './no-project.ts';
import { protectHome } from './protect-home.ts';

/** Nothing else of the environment is read. */
export interface SettingsOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly flags?: ConfigFlags | undefined;
  /** What this process is, for people: “ollm repl”. */
  readonly command: string;
  /** Nothing on the disk is changed, as `ollm doctor` promises. */
  readonly changeNothing?: boolean | undefined;
}

/** @internal */
export interface Settings extends Pick<App, 'mode' | 'paths' | 'warnings' | 'fileSystem' | 'process' | 'clock'> {
  /** Where each value comes from. */
  readonly configuration: LoadedConfig;
}

const NOT_REDACTED =
  'Secrets are stored as they are: services.redaction.enabled is false. What is stored once cannot be taken out.';

/** @internal @throws OllmError CONFIG_INVALID */
export async function readSettings(
  { env, cwd, flags = {}, command, changeNothing = false }: SettingsOptions,
  parts: Partial<Pick<App, 'fileSystem' | 'process' | 'clock'>> = {},
): Promise<Settings> {
  if (typeof env !== 'object' || env === null || typeof cwd !== 'string') {
    throw new OllmError('USAGE', 'An app needs the environment and the current directory: env and cwd.', {
      hint: 'Write createApp({ env: process.env, cwd: process.cwd(), command: "my-tool" }); flags.home names another home.',
    });
  }
  const { fileSystem = nodeFileSystem, clock = systemClock, process = thisProcess(command) } = parts;
  const homeDirectory = homeDirectoryOf({ env });
  requireAbsoluteHome(env, flags);
  const configuration = await loadConfig({ env, cwd, homeDirectory, flags, fileSystem, uid: process.uid });
  const { values, home } = configuration;
  const warnings = [...protectHome({ fileSystem, process }, home, { changeNothing }), ...configuration.warnings];
  const { mode, dataDir } = values.services.session;
  const project = projectOf(fileSystem, cwd, { home, homeDirectory });
  return {
    fileSystem,
    clock,
    process,
    configuration,
    mode,
    paths: {
      home,
      project,
      sessions: mode === 'session' ? join(project, '.ollm', 'session-data') : dataDir,
      log: values.log.file,
      history: join(home, 'history'),
    },
    warnings: values.services.redaction.enabled ? warnings : [...warnings, NOT_REDACTED],
  };
}

/**
 * A relative one would make a directory of the project the user's own. A flag is typed by the user, in this directory.
 */
function requireAbsoluteHome({ OLLM_HOME }: Environment, { home }: ConfigFlags): void {
  if (home !== undefined || !OLLM_HOME || isAbsolute(OLLM_HOME) || /^~(\/|$)/.test(OLLM_HOME)) return;
  throw new OllmError('CONFIG_INVALID', `OLLM_HOME is ${JSON.stringify(OLLM_HOME)}, which is not an absolute path.`, {
    hint: 'Set it to an absolute path, or name a directory of this place with --home.',
  });
}

/**
 * The nearest directory with a `.ollm` that is not the user's own, or with a `.git`. The user's home is not looked at
 * from below it: a repository there is for its settings.
 */
function projectOf(
  fileSystem: FileSystem,
  cwd: string,
  { home, homeDirectory }: { readonly home: string; readonly homeDirectory: string },
): string {
  for (const folder of upwards(cwd)) {
    if (folder !== cwd && noProject(folder, { home, homeDirectory }) !== undefined) break;
    const own = join(folder, '.ollm');
    const isProject = own !== home && fileSystem.stat(own)?.kind === 'directory';
    if (isProject || fileSystem.stat(join(folder, '.git'))) return folder;
  }
  return cwd;
}
