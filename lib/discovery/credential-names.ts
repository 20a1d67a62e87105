// Which files hold keys, as far as a name can say it: one list for the tools, for what programs see in the sandbox, and for
// whatever else reads files of a project.

const NAMES =
  /^(?:\.env(?:\..+)?|\.envrc|\.netrc|\.pgpass|\.git-credentials|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.+\.(?:pem|key|p12|pfx|jks|keystore|kdbx))$/;
/** They show which variables there are, and hold no value of one. */
const HARMLESS = /^\.env\.(?:example|sample|template|dist|defaults?)$/;

/**
 * @example
 * isCredentialName('.env.local'); // true
 */
export function isCredentialName(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.test(lower) && !HARMLESS.test(lower);
}
