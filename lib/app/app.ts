// What every use case is given: the values and ports of one run of the program, made once by compose.ts.
// A use case is a function `(app, request) → result` in a file of its own; it prints nothing and reads nothing else.
import type { Catalog } from '../catalog/catalog.ts';
import type { LoadedConfig, ResolvedConfig } from '../config/types.ts';
import type { Redactor } from '../environment/redact.ts';
import type { JournalStore } from '../journal/types.ts';
import type { McpServers } from '../mcp/servers.ts';
import type { StoreOnServers } from '../nats/nats-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import type { Ids } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { ProcessInfo } from '../platform/processes/process-info.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { Embeddings } from '../retrieval/embeddings.ts';
import type { PassageStore } from '../retrieval/passage-store.ts';
import type { OlderForms } from '../stores/older-forms.ts';
import type { OpenedKeys } from '../stores/sealing/unlock.ts';
import type { Tool } from '../tools/tool.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the sessions are stored: the user's directory, the project's own, or only memory. */
export type StorageMode = 'global' | 'session' | 'ephemeral';

export type Redact = Redactor['redact'];

/** Where the files of one run of the program are, as absolute paths. */
export interface AppPaths {
  /** `--home`, `OLLM_HOME`, or `~/.ollm`. */
  readonly home: string;
  /** Where the journals are: `services.session.dataDir`, or the project's `.ollm/session-data`. */
  readonly sessions: string;
  /** The project of the current directory: the nearest directory above `cwd` with a `.ollm` or `.git`, else `cwd`. */
  readonly project: string;
  readonly log: string;
  /** The lines typed into the REPL, across runs. */
  readonly history: string;
}

/** The user's decision on a text that would instruct the model. */
export interface TextDecision {
  /** From the root of the project on. */
  readonly path: string;
  readonly sha256: string;
  readonly trusted: boolean;
  /** RFC 3339. */
  readonly decidedAt: string;
}

/**
 * Everything that a use case is given. Made by `createApp`; to be closed when the program ends. For other programs it
 * is a handle: they see the members that are not internal.
 */
export interface App {
  /** @internal */
  readonly config: ResolvedConfig;
  /** @internal Where each value of it comes from. */
  readonly configuration: LoadedConfig;
  /** Faults of the configuration that were left out, each as a sentence. */
  readonly warnings: readonly string[];
  /** @internal */
  readonly mode: StorageMode;
  /** The store of the sessions. */
  readonly store: JournalStore;
  /** @internal What opens the encrypted sessions of `store`, as far as passphrases did. */
  readonly keyring: OpenedKeys;
  /** @internal What only a store on servers has; undefined where the sessions are in a directory or in memory. */
  readonly servers: StoreOnServers | undefined;
  /** @internal Sessions of the older form, which `store` reads from memory. */
  readonly olderForms: OlderForms;
  /** @internal What lists remember of the sessions of `store`. */
  readonly catalog: Catalog;
  /** @internal */
  readonly paths: AppPaths;
  /** @internal The user's decisions on the texts of a project, in ephemeral mode: then they are stored nowhere else. */
  readonly decisions: TextDecision[];
  /** @internal */
  readonly cwd: string;
  /** @internal */
  readonly env: Environment;
  /** @internal */
  readonly fileSystem: FileSystem;
  /** @internal */
  readonly clock: Clock;
  /** @internal */
  readonly ids: Ids;
  /** @internal */
  readonly process: ProcessInfo;
  /** @internal */
  readonly log: Log;
  /** @internal The providers. Each is loaded when it is first asked for. */
  readonly providers: ProviderRegistry;
  /** @internal Tools that models may call in addition to the built-in ones: those of the program that embeds ollm. */
  readonly tools: readonly Tool[];
  /** @internal A store that ends with the process, for sessions that are kept nowhere. */
  openMemoryStore(): Promise<JournalStore>;
  /** @internal The store on disk, for a session that was only in memory and is kept after all. */
  openDiskStore(): JournalStore;
  /**
   * @internal
   * Takes secrets out of a text: those known by their shape, and the values of the credentials in `env`. Where the
   * settings switch that off it does nothing, but `onRequest`: for what a user has asked to be redacted.
   */
  redactor(options?: { readonly onRequest?: boolean }): Promise<Redact>;
  /**
   * @internal
   * The index of passages; undefined for sessions in memory, and for file systems that are simulated: SQLite does not
   * see those.
   */
  passages(): Promise<PassageStore | undefined>;
  /** @internal The model that makes vectors of passages; undefined where the settings name none. */
  embeddings(): Promise<Embeddings | undefined>;
  /** @internal The MCP servers of this run; undefined if none is configured. None is started by this. */
  mcpServers(): Promise<McpServers | undefined>;
  /** @internal Work for the moment when the app is closed, such as ending its processes. */
  onClose(work: () => Promise<void>): void;
  /** Ends the processes of the app, and flushes the log. Sessions are closed by the callers that opened them. */
  close(): Promise<void>;
}
