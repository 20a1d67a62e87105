// Which variables of the environment are credentials by their name, and so hold a text that must not be stored or shown
// wherever it turns up. Loads nothing: every run needs it, for its log.
import { MIN_SECRET_CHARACTERS } from './redact.ts';

/** Whole words at the place where they make a secret: `*KEY*` would take KEYBOARD_LAYOUT, `*AUTH*` SSH_AUTH_SOCK. */
export const CREDENTIAL_PATTERNS: readonly string[] = [
  ...['*_KEY', '*_SECRET', '*_TOKEN', '*_PASSWORD', '*_CREDENTIAL'],
  ...['*_KEYS', '*_SECRETS', '*_TOKENS', '*_CREDENTIALS', '*_APIKEY', '*_PASSWD', '*_PASSPHRASE', '*_PWD', '*_PAT'],
  // Such as OTEL_EXPORTER_OTLP_HEADERS, whose headers may hold a key.
  '*_HEADERS',
  ...['KEY', 'APIKEY', 'SECRET', 'TOKEN', 'PASSWD', '*PASSWORD', 'SECRET_*', '*_SECRET_*', '*_PRIVATE_KEY_*'],
];

/**
 * Stars stand for anything, at either end of what else there is. One expression for all would take longer to be
 * compiled.
 */
const CREDENTIAL_NAMES = CREDENTIAL_PATTERNS.map((pattern) => {
  const word = pattern.replaceAll('*', '');
  if (!pattern.startsWith('*'))
    return (name: string) => (pattern.endsWith('*') ? name.startsWith(word) : name === word);
  return (name: string) => (pattern.endsWith('*') ? name.includes(word) : name.endsWith(word));
});

function isCredential(variable: string): boolean {
  const name = variable.toUpperCase();
  return CREDENTIAL_NAMES.some((isOne) => isOne(name));
}

/**
 * The values of variables that are credentials by their name, for a redactor. Members of a family such as AWS_* are
 * not: the name of a region is not a secret, and redacting it would take a word out of every text.
 */
export function secretValuesOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= MIN_SECRET_CHARACTERS && isCredential(name) ? [value] : [],
  );
}
