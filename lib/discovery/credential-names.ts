// Which files hold keys, as far as a name can say it. One list for the file tools, for the search, for git, for
// programs in the sandbox, and for everything else that reads files of a project.

const NAMES = new RegExp(
  `^(?:${[
    // Variables: `.env`, `.env.local`, `prod.env`.
    '\\.env(?:\\..+)?',
    '.+\\.env',
    '\\.envrc',
    // Names and passwords of programs.
    '[._]netrc',
    '\\.pgpass',
    '\\.my\\.cnf',
    '\\.git-credentials',
    '\\.htpasswd',
    '\\.npmrc',
    '\\.pypirc',
    '\\.dockercfg',
    '\\.s3cfg',
    '\\.boto',
    '\\.vault-token',
    'credentials(?:\\.(?:json|toml|ya?ml|ini|xml|csv|txt))?',
    'credentials\\.tfrc\\.json',
    // Private keys and what they are kept in.
    'id_[a-z0-9]+(?:_sk)?',
    '.+\\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)',
  ].join('|')})$`,
);
/** These show which variables there are, and hold no value of one. */
const HARMLESS =
  /^(?:\.env\.(?:example|sample|template|dist|defaults?)|(?:\.?example|sample|template|defaults?)\.env)$/;
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
