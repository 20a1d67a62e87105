// `ollm env` and `/env`: which variables a tool would see, by the configuration of this run.
import { createEnvironmentSanitizer, type EnvironmentExplanation } from '../environment/sanitize.ts';
import type { App } from './app.ts';

export interface ToolEnvironment {
  /** What a tool would be started with. */
  readonly variables: Readonly<Record<string, string>>;
  /** One row for each variable there is, sorted by name, without values. */
  readonly rows: readonly EnvironmentExplanation[];
  /** What the configuration got wrong. */
  readonly warnings: readonly string[];
}

export function toolEnvironment({ config, env, log }: App): ToolEnvironment {
  const sanitizer = createEnvironmentSanitizer({ config: config.services.environment, log });
  return {
    variables: sanitizer.sanitize(env),
    rows: sanitizer.explain(env),
    warnings: sanitizer.warnings,
  };
}
