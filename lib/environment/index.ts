export {
  createRedactor,
  type RedactedKind,
  type Redaction,
  type RedactionCount,
  type Redactor,
  type RedactorOptions,
} from './redact.ts';
export {
  createEnvironmentSanitizer,
  DEFAULT_SANITIZATION,
  type Environment,
  type EnvironmentExplanation,
  type EnvironmentSanitizer,
  type SanitizationConfig,
} from './sanitize.ts';
export { secretValuesOf } from './secret-values.ts';
