// Keeps secrets of the environment from tools: the service of the requirements, a thin face over lib/environment. What is
// configured comes on top of the defaults; what makes no sense there leaves the core variables alone, with a warning.
import { createEnvironmentSanitizer, type SanitizationConfig } from '../environment/sanitize.ts';
import { type Log, silentLog } from '../platform/log.ts';

export type { SanitizationConfig };

export interface EnvironmentSanitizationService {
  /** Replaces what an earlier call added to the defaults. */
  configure(config: SanitizationConfig): void;
  /** The variables that a tool may see, with their values. */
  sanitize(env: Readonly<Record<string, string | undefined>>): Record<string, string>;
  isAllowed(varName: string): boolean;
  /** Whether a deny pattern matches; the allow list may still let it through. */
  isDenied(varName: string): boolean;
}

export interface EnvironmentSanitizationSettings {
  readonly config?: Partial<SanitizationConfig> | undefined;
  readonly log?: Log | undefined;
}

/**
 * @example
 * const service = createEnvironmentSanitizationService();
 * spawn('make', ['test'], { env: service.sanitize(process.env) });
 */
export function createEnvironmentSanitizationService(
  settings: EnvironmentSanitizationSettings = {},
): EnvironmentSanitizationService {
  const { config, log = silentLog } = settings;
  const { configure, sanitize, isAllowed, isDenied } = createEnvironmentSanitizer({ config, log });
  return { configure, sanitize, isAllowed, isDenied };
}
