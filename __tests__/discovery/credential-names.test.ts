import { isAmbiguousName, isCredentialName } from '../../lib/discovery/credential-names.ts';

it.each(
  `.env .env.local prod.env .envrc .netrc _netrc .npmrc .pypirc .pgpass .dockercfg credentials credentials.json Credentials.TOML
  id_rsa id_ed25519_sk id_deploy server.key cert.pem store.p12 .git-credentials .my.cnf`.split(/\s+/),
)('%s is the name of a file with keys', (name) => expect(isCredentialName(name)).toBe(true));

it.each(
  `.env.example example.env .environment.md env.ts credential-names.ts npmrc.md idx_a id.ts keys.ts credentials.ts .npmignore`.split(
    /\s+/,
  ),
)('%s is not', (name) => expect(isCredentialName(name)).toBe(false));

it.each(['process.env', 'credentials', 'id_token', 'object.key'])('%s may also be a word of code', (name) => {
  expect(isCredentialName(name)).toBe(true);
  expect(isAmbiguousName(name)).toBe(true);
});

it('a name that is not a word says it by itself', () => {
  for (const name of ['.env', '.npmrc', 'cert.pem', '.pypirc']) expect(isAmbiguousName(name)).toBe(false);
});
