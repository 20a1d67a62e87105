// The only place that makes adapters: disk, clock, log, and by open-stores.ts the store. Loads little, so that
// `--version` and `list` start quickly: providers, rxjs, yaml and the tokenizer come when they are used.
import { noCatalog, openCatalog } from '../catalog/catalog.ts';
import { configuredSecrets } from '../config/configured-secrets.ts';
import type { ResolvedConfig } from '../config/types.ts';
import { createRedactor } from '../environment/redact.ts';
import { checkArguments } from '../errors/arguments.ts';
import type { JournalStore } from '../journal/types.ts';
import type { Clock } from '../platform/clock.ts';
import { openLog } from '../platform/file-log.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import type { Ids } from '../platform/ids.ts';
import { systemIds } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { once } from '../platform/once.ts';
import type { ProcessInfo } from '../platform/processes/process-info.ts';
import { createProviderRegistry, type ProviderLoader } from '../providers/registry.ts';
import type { AskPassphrase, PassphraseCost } from '../stores/sealing/unlock.ts';
import type { Tool } from '../tools/tool.ts';
import type { App, Environment, Redact } from './app.ts';
import { providerLoaders } from './providers/provider-loaders.ts';
import { openStores } from './start/open-stores.ts';
import { readSettings, type Settings, type SettingsOptions } from './start/settings.ts';

/** What a run of the program starts from. Nothing else of the environment is read. */
export interface AppOptions extends SettingsOptions {
  /** @internal The part of them that was read already. */
  readonly settings?: Settings | undefined;
  /** Parts to use instead of the real ones, for tests and for programs that embed ollm. */
  readonly parts?: AppParts | undefined;
}

/** The parts of an `App` that may be replaced. */
export interface AppParts {
  readonly store?: JournalStore;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly process?: ProcessInfo;
  readonly fileSystem?: FileSystem;
  /** Further providers, or others in place of those of the same name. */
  readonly providers?: Readonly<Record<string, ProviderLoader>> | undefined;
  /** Further tools for models. A name that a built-in one has stays with that one. */
  readonly tools?: readonly Tool[] | undefined;
  /**
   * An app over the same sessions, whose store, catalogue and log this one uses: one for each directory of a server.
   */
  readonly shared?: App | undefined;
  /** Asks for the passphrase of an encrypted session. Default: on the terminal, if there is one. */
  readonly askPassphrase?: AskPassphrase | undefined;
  /** Costs of the key of a passphrase, in a new session. Default: those that OWASP recommends. */
  readonly passphraseCost?: PassphraseCost | undefined;
}

/**
 * The program without its command line: settings read in their layers, store, log and providers put together.
 *
 * @example
 * const app = await createApp({ env: process.env, cwd: process.cwd(), command: 'my-tool' });
 * const [newest] = await listSessions(app, { limit: 1 });
 * await app.close();
 * @throws OllmError USAGE (env or cwd is missing), CONFIG_INVALID, STORE_REFUSED
 */
export async function createApp(options: AppOptions): Promise<App> {
  checkArguments('createApp', { options: 'object' }, [options]);
  const { settings, parts = {}, ...from } = options;
  const { ids = systemIds } = parts;
  const { env, cwd } = from;
  const start = settings ?? (await readSettings(from, parts));
  const { fileSystem, clock, process, configuration, warnings } = start;
  const { shared } = parts;
  const mode = shared?.mode ?? start.mode;
  const paths = shared === undefined ? start.paths : { ...start.paths, sessions: shared.paths.sessions };
  const { values: config } = configuration;

  const redaction = createRedaction(config, env);
  const givenLog = parts.log ?? shared?.log;
  const fileLog = givenLog
    ? undefined
    : openLog({
        file: config.log.file,
        level: config.log.level,
        redact: (text) => redaction.redact(text).text,
        fileSystem,
        clock,
      });
  const log = givenLog ?? fileLog!;

  const dependencies = { fileSystem, clock, ids, process, log };
  const stores = await openStores(dependencies, { config, mode, paths, redact: redaction.redact, parts });
  const isOrdinary = mode !== 'ephemeral' && !parts.store && !parts.fileSystem && !parts.process;

  // SQLite opens its file by its path: it does not see a file system that replaces the machine's.
  const catalog =
    shared?.catalog ?? (isOrdinary ? openCatalog({ home: paths.home, fileSystem, process, log }) : noCatalog);

  const closers: (() => Promise<void>)[] = [];
  const passages = once(async () => {
    const { PassageStore: Store } = await import('../retrieval/passage-store.ts');
    const store = new Store({ home: paths.home, ...dependencies });
    closers.push(() => store.close());
    return store;
  });
  const embeddings = once(async () => {
    const opened = await (await import('./recall/embeddings.ts')).openEmbeddings(app);
    if (opened !== undefined) closers.push(() => opened.close());
    return opened;
  });
  const mcpServers = once(async () => (await import('./tools/mcp.ts')).makeServers(app));
  const app: App = {
    config,
    configuration,
    warnings,
    mode,
    ...stores,
    catalog,
    paths,
    decisions: [],
    cwd,
    env,
    ...dependencies,
    providers: createProviderRegistry({ ...providerLoaders(() => app, config), ...parts.providers }),
    tools: parts.tools ?? [],
    redactor: async ({ onRequest = false } = {}) => (onRequest ? redaction.always : redaction.redact),
    async passages() {
      if (shared !== undefined) return shared.passages();
      return isOrdinary ? passages() : undefined;
    },
    embeddings: async () => (config.retrieval.embeddings.model === undefined ? undefined : embeddings()),
    mcpServers: async () => (Object.keys(config.mcp.servers ?? {}).length === 0 ? undefined : mcpServers()),
    onClose: (work) => void closers.push(work),
    async close() {
      const endings = [catalog.close(), ...closers.map((work) => work())];
      for (const { reason } of (await Promise.allSettled(endings)).filter(isRejected)) {
        log.error({ service: 'app', operation: 'close', error: reason }, 'Something could not be ended');
      }
      await stores.servers?.disconnect();
      fileLog?.close();
    },
  };
  return app;
}

function isRejected(result: PromiseSettledResult<void>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}

/** `always`: for what a user has asked to be redacted. `redact`: where the settings do not switch it off. */
function createRedaction(
  config: ResolvedConfig,
  env: Environment,
): { readonly always: Redact; readonly redact: Redact } {
  const redactor = once(() => createRedactor({ secretValues: configuredSecrets(config, env) }));
  const always: Redact = (text) => redactor().redact(text);
  return { always, redact: config.services.redaction.enabled ? always : (text) => ({ text, found: [] }) };
}
