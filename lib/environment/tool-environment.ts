// Which variables a tool may see. The allow list wins over the deny patterns; a variable that matches neither stays,
// unless its value has the shape of a secret. Names are compared without regard to case. Configuration adds to the
// defaults and takes none away: to let a denied variable through, allow it. Nothing that cannot be understood widens
// what passes: an allow pattern counts as a plain name, and after a deny pattern or a list only the core variables
// pass.
import micromatch from 'micromatch';
import { isObject } from '../platform/json.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { findSecretShapes } from './secret-shapes.ts';
import { CREDENTIAL_PATTERNS } from './secret-values.ts';
import { holdsPassword } from './shown-words.ts';

export interface SanitizationConfig {
  /** Names, or patterns of names such as `LC_*`. */
  readonly allowList: readonly string[];
  /** Patterns of names. */
  readonly denyPatterns: readonly string[];
}

export type Variables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentExplanation {
  readonly name: string;
  readonly keeps: boolean;
  /** The rule that decided, in words. Never the value. */
  readonly because: string;
}

interface EnvironmentSanitizer {
  /** Replaces what an earlier call added to the defaults. */
  configure(config: Partial<SanitizationConfig>): void;
  sanitize(environment: Variables): Record<string, string>;
  isAllowed(name: string): boolean;
  /** Whether a deny pattern matches; the allow list may still let it through. */
  isDenied(name: string): boolean;
  /** A row for each variable, sorted by name. */
  explain(environment: Variables): EnvironmentExplanation[];
  /** Faults of the last configuration, as sentences. */
  readonly warnings: readonly string[];
}

/** What no program runs without. The second line is what Windows calls the same. */
const CORE_VARIABLES: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'SHELL', 'TERM', 'LANG', 'LC_*', 'LOGNAME', 'TZ', 'TMPDIR'],
  ...['USERPROFILE', 'USERNAME', 'SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'WINDIR', 'TEMP', 'TMP'],
];

/** Families of which many members are harmless, and of which no list names the others. */
const FAMILY_PATTERNS: readonly string[] = ['AWS_*', 'GITHUB_*'];

/** Members of these that name neither user nor place, and without which programs break or behave otherwise. */
const HARMLESS_MEMBERS: ReadonlySet<string> = new Set([
  ...['AWS_CA_BUNDLE', 'AWS_PAGER', 'AWS_RETRY_MODE', 'AWS_MAX_ATTEMPTS', 'AWS_DEFAULT_OUTPUT', 'AWS_CLI_AUTO_PROMPT'],
  ...['AWS_EC2_METADATA_DISABLED', 'AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT', 'AWS_STS_REGIONAL_ENDPOINTS'],
  ...['GITHUB_ACTIONS', 'GITHUB_SERVER_URL', 'GITHUB_API_URL', 'GITHUB_GRAPHQL_URL'],
]);

/** Their values may be addresses without a scheme, which have no shape of their own: `me:word@proxy:3128`. */
const ADDRESS_NAME = /(?:proxy|host|server|ur[il]|dsn|endpoint)$/i;

/** Matching more of them takes too long. */
const MAX_STARS = 5;
/**
 * With more stars than FEW_STARS only names of this length are matched; longer ones count as denied, and not as
 * allowed.
 */
const FEW_STARS = 3;
const MAX_STARRED_NAME = 64;
/** Alternatives with a repetition of their own, such as `+(a)`, take too long as well. */
const EXTENDED_GLOB = /[@!+*?]\(/;

const DEFAULT_SANITIZATION: SanitizationConfig = {
  allowList: CORE_VARIABLES,
  denyPatterns: [...CREDENTIAL_PATTERNS, ...FAMILY_PATTERNS],
};

/**
 * @example
 * const sanitizer = createEnvironmentSanitizer({ config: { allowList: ['CI_TOKEN'] } });
 * spawn(program, args, { env: sanitizer.sanitize(environment) });
 */
export function createEnvironmentSanitizer(
  options: { readonly config?: Partial<SanitizationConfig> | undefined; readonly log?: Log | undefined } = {},
): EnvironmentSanitizer {
  const log = options.log ?? silentLog;
  let rules = compileRules(options.config ?? {}, log);

  const judge = (name: string, value: string): EnvironmentExplanation => {
    const allowedBy = rules.allow.find((rule) => rule.matches(name));
    if (allowedBy) return { name, keeps: true, because: `the allow list has ${allowedBy.pattern}` };
    if (rules.coreOnly) return { name, keeps: false, because: 'the configuration is broken: only core variables pass' };
    const deniedBy = rules.deny.find((rule) => rule.matches(name));
    if (deniedBy) return { name, keeps: false, because: `the deny pattern ${deniedBy.pattern} matches` };
    const shape = findSecretShapes(value).spans[0];
    if (shape) return { name, keeps: false, because: `its value looks like a secret (${shape.kind})` };
    if (ADDRESS_NAME.test(name) && holdsPassword(value))
      return { name, keeps: false, because: 'its value is an address with a password' };
    return { name, keeps: true, because: 'no deny pattern matches' };
  };

  return {
    configure(config) {
      rules = compileRules(config, log);
    },
    sanitize(environment) {
      const removed: string[] = [];
      const kept = entriesOf(environment).filter(([name, value]) => judge(name, value).keeps || !removed.push(name));
      if (removed.length > 0)
        log.debug({ service: 'environment', operation: 'sanitize', removed }, 'Variables were kept from a tool');
      return Object.fromEntries(kept);
    },
    isAllowed: (name) => rules.allow.some((rule) => rule.matches(name)),
    isDenied: (name) => rules.deny.some((rule) => rule.matches(name)),
    explain: (environment) =>
      entriesOf(environment)
        .map(([name, value]) => judge(name, value))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    get warnings() {
      return rules.warnings;
    },
  };
}

interface NameRule {
  readonly pattern: string;
  matches(name: string): boolean;
}

interface Rules {
  readonly allow: readonly NameRule[];
  readonly deny: readonly NameRule[];
  readonly coreOnly: boolean;
  readonly warnings: readonly string[];
}

function compileRules(config: Partial<SanitizationConfig>, log: Log): Rules {
  const warnings: string[] = [];
  const isBroken = !isObject(config) || !isList(config.allowList) || !isList(config.denyPatterns);
  if (isBroken)
    warnings.push('environment: allowList and denyPatterns must be lists of names; only core variables pass.');
  const { allowList = [], denyPatterns = [] }: Partial<SanitizationConfig> = isBroken ? {} : config;
  const denied = denyPatterns.map((pattern) => usable(pattern, 'denyPatterns', warnings));
  const coreOnly = isBroken || denied.some((rule, index) => rule === undefined && denyPatterns[index] !== '');
  const allowed = allowList.flatMap((pattern) => usable(pattern, 'allowList', warnings) ?? plainName(pattern));
  const rules = {
    allow: [...DEFAULT_SANITIZATION.allowList.map((pattern) => nameRule(pattern, false)), ...(coreOnly ? [] : allowed)],
    deny: [
      ...CREDENTIAL_PATTERNS.map((pattern) => nameRule(pattern, true)),
      ...FAMILY_PATTERNS.map((pattern) => withoutHarmless(nameRule(pattern, true))),
      ...denied.filter((rule) => rule !== undefined),
    ],
    coreOnly,
    warnings,
  };
  for (const warning of warnings)
    log.warn({ service: 'environment', operation: 'configure', action: 'Correct the configuration.' }, warning);
  return rules;
}

const CORE_ONLY_CONSEQUENCE = 'Until it is corrected only core variables pass';

/** Undefined, with a warning, if the pattern cannot be understood. */
function usable(pattern: string, list: keyof SanitizationConfig, warnings: string[]): NameRule | undefined {
  try {
    return nameRule(pattern, list === 'denyPatterns');
  } catch (error) {
    const consequence =
      pattern === '' ? 'It matches nothing' : list === 'allowList' ? 'It counts as a name' : CORE_ONLY_CONSEQUENCE;
    warnings.push(
      `environment.${list}: ${JSON.stringify(pattern)} is not a pattern: ${(error as Error).message}. ${consequence}.`,
    );
    return undefined;
  }
}

function plainName(pattern: string): NameRule[] {
  return pattern === '' ? [] : [exactRule(pattern)];
}

/** `denies`: the answer for a name that is too long to be matched in time. @throws Error if it cannot be understood */
function nameRule(pattern: string, denies: boolean): NameRule {
  const stars = pattern.replace(/\*+/g, '*').split('*').length - 1;
  if (stars > MAX_STARS) throw new Error(`it has more than ${MAX_STARS} stars`);
  if (pattern.startsWith('!')) throw new Error('it begins with !, which would turn it around');
  if (EXTENDED_GLOB.test(pattern)) throw new Error('it has an extended glob, such as +(a)');
  const exact = exactRule(pattern);
  const options = { nocase: true, dot: true, noextglob: true, strictBrackets: true, debug: true };
  const glob = micromatch.matcher(pattern.replace(/\*+/g, '*'), options);
  const isLong = (name: string) => stars > FEW_STARS && name.length > MAX_STARRED_NAME;
  // A name is one word to a pattern.
  const matches = (name: string) => (isLong(name) ? denies : glob(name.replace(/[\s/\\]/g, '_')));
  return { pattern, matches: (name) => exact.matches(name) || matches(name) };
}

function withoutHarmless({ pattern, matches }: NameRule): NameRule {
  return { pattern, matches: (name) => matches(name) && !HARMLESS_MEMBERS.has(name.toUpperCase()) };
}

function exactRule(pattern: string): NameRule {
  const wanted = pattern.toLowerCase();
  return { pattern, matches: (name) => name.toLowerCase() === wanted };
}

function entriesOf(environment: Variables): [name: string, value: string][] {
  return Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

function isList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
}
