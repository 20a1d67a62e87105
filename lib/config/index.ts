export { withoutSecret } from './explain.ts';
export { loadConfig } from './load.ts';
export { PROJECT_RULES, type ProjectRule } from './project-rules.ts';
export type { Setting } from './settings.generated.ts';
export { SETTINGS } from './settings.generated.ts';
export type { Config } from './types.generated.ts';
export {
  type ConfigFlags,
  type ConfigRow,
  type DeepReadonly,
  LAYERS,
  type LayerName,
  type LoadConfigOptions,
  type LoadedConfig,
  type ResolvedConfig,
} from './types.ts';
export { variableOf } from './variables.ts';
