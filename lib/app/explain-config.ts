// `ollm config`: each setting with the layer that set it. Reads the configuration alone, so it also answers where the
// data directory cannot be used.
import { homedir } from 'node:os';
import type { ConfigRow, LoadedConfig } from '../config/types.ts';
import type { AppOptions } from './compose.ts';

export interface ConfigExplanation {
  readonly home: string;
  /** The files that were read, weakest first. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  readonly rows: readonly ConfigRow[];
}

/** @throws OllmError CONFIG_INVALID */
export async function explainConfig({ env, cwd, flags, parts }: AppOptions): Promise<ConfigExplanation> {
  const { loadConfig } = await import('../config/load.ts');
  const fileSystem = parts?.fileSystem ?? (await import('../platform/node-file-system.ts')).nodeFileSystem;
  const uid = process.getuid?.();
  const loaded: LoadedConfig = await loadConfig({ env, cwd, homeDirectory: homedir(), flags, fileSystem, uid });
  return { home: loaded.home, files: loaded.files, warnings: loaded.warnings, rows: loaded.explain() };
}
