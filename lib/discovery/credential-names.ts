// Which files hold keys, as far as a name can say it. One list for the file tools, for the search, for git, for
// programs in the sandbox, and for everything else that reads files of a project.

/** As git and shells write them: `?*` is anything but nothing, `[…]` one of these. */
const PATTERNS = [
  // Variables: `.env`, `.env.local`, `prod.env`.
  ...['.env', '.env.?*', '?*.env', '.envrc'],
  // Names and passwords of programs.
  ...['[._]netrc', '.pgpass', '.my.cnf', '.git-credentials', '.htpasswd', '.npmrc', '.pypirc', '.dockercfg', '.s3cfg'],
  ...['.boto', '.vault-token', 'credentials', 'credentials.tfrc.json'],
  ...['json', 'toml', 'yaml', 'yml', 'ini', 'xml', 'csv', 'txt'].map((end) => `credentials.${end}`),
  // What private keys are kept in.
  ...['pem', 'key', 'p12', 'pfx', 'jks', 'keystore', 'kdbx', 'ppk'].map((end) => `?*.${end}`),
];
const NAMES = new RegExp(`^(?:${[...PATTERNS.map(asExpression), 'id_[a-z0-9]+(?:_sk)?'].join('|')})$`, 's');
/** These show which variables there are, and hold no value of one. */
const HARMLESS_PATTERNS = [
  ...['example', 'sample', 'template', 'dist', 'default', 'defaults'].map((end) => `.env.${end}`),
  ...['example', '.example', 'sample', 'template', 'default', 'defaults'].map((begin) => `${begin}.env`),
];
const HARMLESS = new RegExp(`^(?:${HARMLESS_PATTERNS.map(asExpression).join('|')})$`);
/** Names that are ordinary words of code, or names of directories, too. */
const AMBIGUOUS = /^(?:credentials|id_[a-z0-9]+|.+\.(?:env|key))$/;

/**
 * @example
 * isCredentialName('.env.local'); // true
 */
export function isCredentialName(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.test(lower) && !HARMLESS.test(lower);
}

/**
 * Whether a credential name says so only of a regular file: `grep process.env credentials/` names no key.
 *
 * @example
 * isAmbiguousName('process.env'); // true
 */
export function isAmbiguousName(name: string): boolean {
  return AMBIGUOUS.test(name.toLowerCase());
}

/**
 * The names as lines of git's attributes, which give `attribute` to files with these names, in upper and lower case. A
 * later line wins, and it covers a few further names: `id_` with anything before `_sk`.
 */
export function credentialAttributes(attribute: string): string {
  const lines: (readonly [pattern: string, value: string])[] = [
    ['id_?*', attribute],
    ['id_*[!a-zA-Z0-9]*', `-${attribute}`],
    ...['id_?*_sk', ...PATTERNS].map((pattern) => [pattern, attribute] as const),
    ...HARMLESS_PATTERNS.map((pattern) => [pattern, `-${attribute}`] as const),
  ];
  return lines.map(([pattern, value]) => `${inBothCases(pattern)} ${value}\n`).join('');
}

function asExpression(pattern: string): string {
  return pattern.replaceAll('.', '\\.').replaceAll('?*', '.+').replace('[\\._]', '[._]');
}

/** Letters outside of brackets. */
function inBothCases(pattern: string): string {
  return pattern.replace(/\[[^\]]*\]|[a-z]/g, (part) =>
    part.startsWith('[') ? part : `[${part}${part.toUpperCase()}]`,
  );
}
