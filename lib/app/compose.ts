// The only place that makes adapters: disk, clock, log, store. Loads little, so that `--version` and `list` start at once:
// providers, rxjs, yaml and the tokenizer come when they are used.
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig } from '../config/load.ts';
import type { ConfigFlags, ResolvedConfig } from '../config/types.ts';
import { createRedactor, type Redactor } from '../environment/redact.ts';
import { secretValuesOf } from '../environment/secret-values.ts';
import { openFileStore } from '../journal/file-store.ts';
import type { JournalStore } from '../journal/types.ts';
import { systemClock } from '../platform/clock.ts';
import { openLog } from '../platform/file-log.ts';
import type { FileSystem } from '../platform/file-system.ts';
import { systemIds } from '../platform/ids.ts';
import { nodeFileSystem } from '../platform/node-file-system.ts';
import { thisProcess } from '../platform/process-info.ts';
import { createProviderRegistry, type ProviderLoader } from '../providers/registry.ts';
import type { Tool } from '../tools/tool.ts';
import type { App, AppPaths, Environment, Redact } from './app.ts';
import { keptFromGit } from './kept-from-git.ts';
import { providerLoaders } from './providers/provider-loaders.ts';
import { redactingStore } from './redacting-store.ts';
import { sealingStore } from './sealing/sealing-store.ts';
import { type AskPassphrase, createKeyring } from './sealing/unlock.ts';
import { askOnTerminal } from './sealing/unlock-terminal.ts';

export type AppFlags = ConfigFlags;

/** What a run of the program starts from. Nothing else of the environment is read. */
export interface AppOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly flags?: AppFlags | undefined;
  /** What this process is, for people: “ollm repl”. */
  readonly command: string;
  /** Parts to use instead of the real ones, for tests and for programs that embed ollm. */
  readonly parts?: AppParts | undefined;
}

/** The parts of an `App` that may be replaced. */
export interface AppParts extends Partial<Pick<App, 'fileSystem' | 'clock' | 'ids' | 'process' | 'log' | 'store'>> {
  /** Further providers, or others in place of those of the same name. */
  readonly providers?: Readonly<Record<string, ProviderLoader>> | undefined;
  /** Further tools for models. A name that a built-in one has stays with that one. */
  readonly tools?: readonly Tool[] | undefined;
  /** Asks for the passphrase of an encrypted session. Default: on the terminal, if there is one. */
  readonly askPassphrase?: AskPassphrase | undefined;
}

const NOT_REDACTED =
  'Secrets are stored as they stand: services.redaction.enabled is false. What is stored once cannot be taken out.';

/**
 * The program without its command line: settings read in their layers, store, log and providers put together.
 *
 * @example
 * const app = await createApp({ env: process.env, cwd: process.cwd(), command: 'my-tool' });
 * const [newest] = listSessions(app, { limit: 1 });
 * await app.close();
 * @throws OllmError CONFIG_INVALID, STORE_REFUSED
 */
export async function createApp({ env, cwd, flags = {}, command, parts = {} }: AppOptions): Promise<App> {
  const { fileSystem = nodeFileSystem, clock = systemClock, ids = systemIds, process = thisProcess(command) } = parts;
  const homeDirectory = env.HOME || homedir();
  const configuration = await loadConfig({ env, cwd, homeDirectory, flags, fileSystem, uid: process.uid });
  const { values: config, home, warnings } = configuration;
  const { mode } = config.services.session;

  let redactor: Redactor | undefined;
  const redactAlways: Redact = (text) => {
    redactor ??= createRedactor({ secretValues: [...secretValuesOf(env), ...serverTokens(config, env)] });
    return redactor.redact(text);
  };
  const redacts = config.services.redaction.enabled;
  const redact: Redact = redacts ? redactAlways : (text) => ({ text, found: [] });
  const fileLog = parts.log
    ? undefined
    : openLog({
        file: config.log.file,
        level: config.log.level,
        redact: (text) => redact(text).text,
        fileSystem,
        clock,
      });
  const log = parts.log ?? fileLog!;

  const project = projectOf(fileSystem, cwd, home);
  const paths: AppPaths = {
    home,
    project,
    sessions: mode === 'session' ? join(project, '.ollm', 'session-data') : config.services.session.dataDir,
    log: config.log.file,
    history: join(home, 'history'),
  };
  const dependencies = { fileSystem, clock, ids, process, log };
  const guarded = (each: JournalStore) => redactingStore(each, (text) => redact(text).text);
  const openMemoryStore = async (): Promise<JournalStore> => {
    const { openMemoryStore: open } = await import('../journal/memory-store.ts');
    return guarded(open({ clock, ids, process, log }));
  };
  const { allowNetworkFileSystem } = config.services.session;
  const { keyFile, encryptAtRest } = config.retention;
  const keyring = createKeyring({ fileSystem, keyFile, ask: parts.askPassphrase ?? askOnTerminal });
  // Secrets leave first, and what is left is sealed.
  const kept = (each: JournalStore) => guarded(sealingStore(each, { keyring, encryptNew: encryptAtRest }));
  const openDiskStore = (): JournalStore => {
    const files = openFileStore(dependencies, { directory: paths.sessions, allowNetworkFileSystem });
    return kept(mode === 'session' ? keptFromGit(files, { directory: paths.sessions, fileSystem, log }) : files);
  };
  const store = parts.store ? kept(parts.store) : mode === 'ephemeral' ? await openMemoryStore() : openDiskStore();

  const isOrdinary = mode !== 'ephemeral' && !parts.store && !parts.fileSystem && !parts.process;
  const storeElsewhere = isOrdinary
    ? { directory: paths.sessions, allowNetworkFileSystem, keyFile, command }
    : undefined;

  const closers: (() => Promise<void>)[] = [];
  const app: App = {
    config,
    configuration,
    warnings: redacts ? warnings : [...warnings, NOT_REDACTED],
    mode,
    store,
    storeElsewhere,
    paths,
    cwd,
    env,
    ...dependencies,
    providers: createProviderRegistry({ ...providerLoaders(() => app, config), ...parts.providers }),
    tools: parts.tools ?? [],
    openMemoryStore,
    openDiskStore,
    redactor: async ({ onRequest = false } = {}) => (onRequest ? redactAlways : redact),
    onClose: (work) => void closers.push(work),
    async close() {
      for (const { reason } of (await Promise.allSettled(closers.map((work) => work()))).filter(isRejected)) {
        log.error({ service: 'app', operation: 'close', error: reason }, 'Something could not be ended');
      }
      fileLog?.close();
    },
  };
  return app;
}

/** A variable that a server's token is in need not be called like one. */
function serverTokens({ mcp }: ResolvedConfig, env: Environment): string[] {
  return Object.values(mcp.servers ?? {}).flatMap(({ tokenEnv }) => (tokenEnv && env[tokenEnv]) || []);
}

function isRejected(result: PromiseSettledResult<void>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}

/** The nearest directory with a `.ollm` that is not the user's own, or with a `.git`. */
function projectOf(fileSystem: FileSystem, cwd: string, home: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const own = join(folder, '.ollm');
    if ((own !== home && fileSystem.stat(own)?.kind === 'directory') || fileSystem.stat(join(folder, '.git'))) {
      return folder;
    }
    if (dirname(folder) === folder) return cwd;
  }
}
