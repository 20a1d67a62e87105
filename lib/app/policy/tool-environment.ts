// `ollm env` and `/env`: which variables a tool would see, by the configuration of this run; and the defaults that it
// is started with.
import { PROGRAM_DEFAULTS } from '../../environment/program-defaults.ts';
import { createEnvironmentSanitizer, type EnvironmentExplanation } from '../../environment/tool-environment.ts';
import type { App } from '../app.ts';

interface ToolEnvironment {
  /** What a tool would be started with. */
  readonly variables: Readonly<Record<string, string>>;
  /** Names of those that were kept from it, sorted. */
  readonly removed: readonly string[];
  /** A row for each variable, sorted by name, without values. */
  readonly rows: readonly EnvironmentExplanation[];
  /** Faults of the configuration. */
  readonly warnings: readonly string[];
}

export function toolEnvironment({ config, env, log }: Pick<App, 'config' | 'env' | 'log'>): ToolEnvironment {
  const sanitizer = createEnvironmentSanitizer({ config: config.services.environment, log });
  const variables = { ...sanitizer.sanitize(env), ...PROGRAM_DEFAULTS };
  const found = sanitizer.explain(env);
  return {
    variables,
    removed: found.filter(({ name, keeps }) => !keeps && !(name in PROGRAM_DEFAULTS)).map(({ name }) => name),
    rows: [...found.filter(({ name }) => !(name in PROGRAM_DEFAULTS)), ...rowsOfDefaults()].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
    warnings: sanitizer.warnings,
  };
}

function rowsOfDefaults(): EnvironmentExplanation[] {
  return Object.entries(PROGRAM_DEFAULTS).map(([name, value]) => ({
    name,
    keeps: true,
    because: `set to ${value} for every tool`,
  }));
}
