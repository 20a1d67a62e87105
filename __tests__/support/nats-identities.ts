// What a server of NATS knows its users by, made for one test: an operator with accounts and users, as JWTs that are
// signed with nkeys, and an authority of certificates, made with openssl.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CLIENT_FOLDER } from './nats-server.ts';

interface KeyPair {
  getPublicKey(): string;
  getSeed(): Uint8Array;
  sign(data: Uint8Array): Uint8Array;
}

interface KeyPairs {
  createOperator(): KeyPair;
  createAccount(): KeyPair;
  createUser(): KeyPair;
}

function keyPairs(): KeyPairs {
  return createRequire(join(CLIENT_FOLDER, 'package.json'))('@nats-io/transport-node').nkeys as KeyPairs;
}

/** A new nkey of a user: the part for the server, and the part that the user keeps. */
export function userNkey(): { readonly publicKey: string; readonly seed: string } {
  const pair = keyPairs().createUser();
  return { publicKey: pair.getPublicKey(), seed: Buffer.from(pair.getSeed()).toString() };
}

export interface Permissions {
  readonly publish?: readonly string[];
  readonly subscribe?: readonly string[];
  /** Seconds since 1970. */
  readonly expires?: number;
}

/** An operator with one account that may use JetStream. */
export interface Operator {
  /** Lines for the configuration of a server. */
  readonly lines: readonly string[];
  /** The content of a `.creds` file of a new user. */
  user(permissions?: Permissions): string;
  /** Does the same for a user whose account the server does not know. */
  stranger(): string;
}

const WITHOUT_LIMIT = -1;
const MESSAGES = { subs: WITHOUT_LIMIT, data: WITHOUT_LIMIT, payload: WITHOUT_LIMIT };
const ACCOUNT = { ...MESSAGES, imports: -1, exports: -1, wildcards: true, conn: WITHOUT_LIMIT, leaf: WITHOUT_LIMIT };
const JETSTREAM = { mem_storage: WITHOUT_LIMIT, disk_storage: WITHOUT_LIMIT, streams: -1, consumer: -1 };

export function createOperator(): Operator {
  const keys = keyPairs();
  const [operator, system, account, other] = [
    keys.createOperator(),
    keys.createAccount(),
    keys.createAccount(),
    keys.createAccount(),
  ];
  const own = jwt(operator, operator, 'operator', { type: 'operator', system_account: system.getPublicKey() });
  const accounts = [
    [system, jwt(operator, system, 'SYS', { type: 'account', limits: ACCOUNT })],
    [account, jwt(operator, account, 'sessions', { type: 'account', limits: { ...ACCOUNT, ...JETSTREAM } })],
  ] as const;
  const credsOf = (of: KeyPair, { publish = [], subscribe = [], expires }: Permissions = {}) => {
    const user = keys.createUser();
    const [pub, sub] = [publish, subscribe].map((allow) => (allow.length > 0 ? { allow } : {}));
    const token = jwt(of, user, 'a user', { type: 'user', ...MESSAGES, pub, sub }, expires);
    return [
      '-----BEGIN NATS USER JWT-----',
      token,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      Buffer.from(user.getSeed()).toString(),
      '------END USER NKEY SEED------',
      '',
    ].join('\n');
  };
  return {
    lines: [
      `operator: ${own}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      `resolver_preload: { ${accounts.map(([pair, token]) => `${pair.getPublicKey()}: ${token}`).join(', ')} }`,
    ],
    user: (permissions) => credsOf(account, permissions),
    stranger: () => credsOf(other),
  };
}

function jwt(issuer: KeyPair, subject: KeyPair, name: string, nats: object, expires?: number): string {
  const claims = {
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    ...(expires !== undefined && { exp: expires }),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name,
    nats: { ...nats, version: 2 },
  };
  const encoded = [{ typ: 'JWT', alg: 'ed25519-nkey' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = encoded.join('.');
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}

/** Why certificates cannot be made here; undefined if they can. */
export function missingOpenssl(): string | undefined {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'there is no program openssl';
  }
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/**
 * Makes an authority in a directory, and certificates that it signed: `ca.pem`, `NAME.pem` and `NAME.key`.
 * `extensions`: of each by its name, as openssl takes them.
 */
export function createCertificates(directory: string, extensions: Readonly<Record<string, string>>): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  openssl('req', '-x509', ...CURVE, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=an authority');
  for (const [name, extension] of Object.entries(extensions)) {
    openssl('req', ...CURVE, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(join(directory, 'extensions'), extension);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.pem`, '-days', '2');
  }
}
