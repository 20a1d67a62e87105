// What loading the configuration takes and gives.
import type { FileSystem, LogLevel } from '../platform/index.ts';
import type { ResolvedConfig as MutableConfig } from './types.generated.ts';

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Every setting, from all layers: defaults are filled in, every path is absolute. */
export type ResolvedConfig = DeepReadonly<MutableConfig>;

export type ConfigEnvironment = Readonly<Record<string, string | undefined>>;

/** From the weakest to the strongest. */
const LAYERS = ['default', 'user', 'project', 'environment', 'flag'] as const;
export type LayerName = (typeof LAYERS)[number];

/** Settings from the command line. */
export interface ConfigFlags {
  /** Instead of OLLM_HOME. */
  readonly home?: string | undefined;
  /** Instead of the user's config.yaml. */
  readonly config?: string | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly mode?: ResolvedConfig['services']['session']['mode'] | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly allowNetworkFileSystem?: boolean | undefined;
  readonly retrieval?: boolean | undefined;
}

export interface LoadConfigOptions {
  readonly env: ConfigEnvironment;
  readonly cwd: string;
  /** The user's own directory, for `~`. */
  readonly homeDirectory: string;
  readonly flags?: ConfigFlags | undefined;
  readonly fileSystem: Pick<FileSystem, 'stat' | 'realPath'>;
  /** Ours; undefined where the system has none. A project's file that belongs to another is not read. */
  readonly uid?: number | undefined;
}

/** A row of `ollm config explain`. */
export interface ConfigRow {
  readonly key: string;
  /** `[hidden]` in the place of each part that may be a secret; undefined if nothing sets it. */
  readonly value: unknown;
  readonly layer: LayerName;
  /** `/home/me/.ollm/config.yaml:3`, `OLLM_MODEL`, `--model`, or `default`. */
  readonly source: string;
}

export interface LoadedConfig {
  readonly values: ResolvedConfig;
  /** `$OLLM_HOME`. */
  readonly home: string;
  /** The user's config.yaml, or what --config names; it need not exist. */
  readonly userFile: string;
  /** The files that were read, weakest first. */
  readonly files: readonly string[];
  /** The directory whose `.ollm/config.yaml` was read. */
  readonly project: string | undefined;
  /** Whether the user trusts that directory, and only the user can write that file. */
  readonly isProjectTrusted: boolean;
  /** Ignored settings, each as a sentence. */
  readonly warnings: readonly string[];
  /** Every setting, in the order of the reference. */
  explain(): readonly ConfigRow[];
  /** The fault of a value for a setting, as a sentence; undefined if it may be set. */
  problemWith(key: string, value: unknown): string | undefined;
}
