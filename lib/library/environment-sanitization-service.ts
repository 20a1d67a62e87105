// Keeps secrets of the environment from tools. A configuration adds to the defaults; if it cannot be understood, only
// core variables pass, with a warning in the log.
import { createEnvironmentSanitizer, type SanitizationConfig } from '../environment/tool-environment.ts';
import { checkArguments, checkCalls } from '../errors/arguments.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { redactedLog } from './redacted-log.ts';

export type { SanitizationConfig };

export interface EnvironmentSanitizationService {
  /** Adds to the defaults, and replaces what an earlier call added. */
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
  checkArguments('createEnvironmentSanitizationService', { settings: 'object' }, [settings]);
  const { config } = settings;
  const log = redactedLog(settings.log ?? silentLog);
  const { configure, sanitize, isAllowed, isDenied } = createEnvironmentSanitizer({ config, log });
  const varName = 'text';
  const tables = { sanitize: { env: 'object' }, isAllowed: { varName }, isDenied: { varName } } as const;
  return checkCalls({ configure, sanitize, isAllowed, isDenied }, tables);
}
