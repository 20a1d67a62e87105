import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { credentialAttributes, isAmbiguousName, isCredentialName } from '../../lib/discovery/credential-names.ts';
import { createTree } from '../support/tree.ts';

it.each(
  `.env .env.local prod.env .envrc .netrc _netrc .npmrc .pypirc .pgpass .dockercfg credentials credentials.json Credentials.TOML
  id_rsa id_ed25519_sk id_deploy server.key cert.pem store.p12 .git-credentials .my.cnf`.split(/\s+/),
)('%s is the name of a file with keys', (name) => expect(isCredentialName(name)).toBe(true));

it.each(
  `.env.example example.env .environment.md env.ts credential-names.ts npmrc.md idx_a id.ts keys.ts credentials.ts .npmignore`.split(
    /\s+/,
  ),
)('%s is not the name of a file with keys', (name) => expect(isCredentialName(name)).toBe(false));

it.each(['process.env', 'credentials', 'id_token', 'object.key'])('%s may also be a word of code', (name) => {
  expect(isCredentialName(name)).toBe(true);
  expect(isAmbiguousName(name)).toBe(true);
});

it('a file name that is not a word of code counts in any text', () => {
  for (const name of ['.env', '.npmrc', 'cert.pem', '.pypirc']) expect(isAmbiguousName(name)).toBe(false);
});

it('git gives the attribute to each name of a file with keys, and otherwise only to a documented kind', () => {
  const parts =
    'env .env key .key pem id_ id_a sk _sk id credentials .json .example example.env netrc . _ - a B 1'.split(' ');
  const names = fc.sample(
    fc
      .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 })
      .map((chosen) => chosen.join(''))
      .filter((name) => !/^\.*$/.test(name)),
    500,
  );
  using tree = createTree({ attributes: credentialAttributes('keys') });
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', args, {
      cwd: tree.root,
      input,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: tree.root },
    });
  git(['init', '-q']);
  const attributes = `core.attributesFile=${join(tree.root, 'attributes')}`;
  const all = names.flatMap((name) => [name, `sub/${name.toUpperCase()}`]);
  const answers = git(['-c', attributes, 'check-attr', '-z', '--stdin', 'keys'], `${all.join('\0')}\0`).split('\0');
  for (const [index, path] of all.entries()) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const isSet = answers[3 * index + 2] === 'set';
    if (!/^id_.+_sk$/i.test(name)) expect({ name, isSet }).toEqual({ name, isSet: isCredentialName(name) });
    else expect(isSet).toBe(true);
  }
});
