// The cryptography of an encrypted session, and nothing else: no file, no terminal, no event. A random session key is
// wrapped under a key that a passphrase or a key file gives; from it come a key for the lines, one for the state file
// and one for attachments. AES-256-GCM with random nonces throughout. docs/encryption.md tells what that protects from,
// and what not.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  type ScryptOptions,
  scrypt,
  scryptSync,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { EventData } from '../../events/index.ts';

/** The first line's description of the seal: member `encryption`. */
export type Encryption = NonNullable<EventData<'session.created'>['encryption']>;

/** Where the key that wraps comes from. */
type KeySource = Encryption['by'];
export type KeyDerivation = Encryption['kdf'];

/** OWASP's password storage cheat sheet asks for at least N = 2^17, r = 8, p = 1: 128 MiB for each guess. */
const SCRYPT_COST = { N: 2 ** 17, r: 8, p: 1 } as const;

/** A line that was changed may ask for any cost: this is the most that is paid. */
const MAX_SCRYPT_BYTES = 1024 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
/** From this version on a seal covers the whole line; without a version, its data, number and type. */
const VERSION = 2;

/** The keys of one journal. */
export interface SessionKeys {
  readonly encryption: Encryption;
  /** The key that wraps: another journal that continues from this one is opened by the same. */
  readonly wrapping: Buffer;
  readonly session: Buffer;
  readonly lines: KeyObject;
  readonly documents: KeyObject;
  readonly blobs: KeyObject;
  /** Says which blobs are theirs; gives nothing away. */
  readonly blobId: string;
}

/** The key that a passphrase gives. Takes a good part of a second, on purpose. Undefined if the cost cannot be paid. */
export function keyOfPassphrase(passphrase: string, derivation: KeyDerivation): Buffer | undefined {
  const input = scryptInput(passphrase, derivation);
  try {
    return input && scryptSync(...input);
  } catch {
    // Numbers that scrypt does not know.
    return undefined;
  }
}

/** As `keyOfPassphrase`, without holding up the thread that asks. */
export async function deriveKey(passphrase: string, derivation: KeyDerivation): Promise<Buffer | undefined> {
  const input = scryptInput(passphrase, derivation);
  try {
    return input && (await scryptLater(...input));
  } catch {
    return undefined;
  }
}

/** Made when it is used: a start that needs no key loads no cryptography for it. */
function scryptLater(...input: NonNullable<ReturnType<typeof scryptInput>>): Promise<Buffer> {
  return promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)(...input);
}

function scryptInput(
  passphrase: string,
  { salt, N = 0, r = 0, p = 0 }: KeyDerivation,
): [password: string, salt: Buffer, bytes: number, options: ScryptOptions] | undefined {
  const bytes = 128 * N * r * Math.max(1, p);
  if (bytes === 0 || bytes > MAX_SCRYPT_BYTES) return undefined;
  const options = { N, r, p, maxmem: bytes + 32 * 1024 * 1024 };
  return [passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), KEY_BYTES, options];
}

/** The key that the content of a key file gives, which is random and needs no slow function. */
export function keyOfFile(content: Uint8Array, { salt }: KeyDerivation): Buffer {
  return derived(content, Buffer.from(salt, 'base64'), 'ollm key file');
}

export function newDerivation(by: KeySource, cost: Omit<KeyDerivation, 'name' | 'salt'> = SCRYPT_COST): KeyDerivation {
  const salt = randomBytes(SALT_BYTES).toString('base64');
  return by === 'passphrase' ? { name: 'scrypt', ...cost, salt } : { name: 'hkdf-sha256', salt };
}

/** Keys for a new journal. `session`: those of one that it continues from, whose attachments it names. */
export function newKeys(id: string, { by, kdf, wrapping, session = randomBytes(KEY_BYTES) }: NewKeys): SessionKeys {
  const journal = randomBytes(SALT_BYTES).toString('base64');
  const key = sealBytes(wrapping, session, wrapContext(id, journal)).toString('base64');
  return keysOf(id, { version: VERSION, cipher: CIPHER, by, kdf, journal, key }, wrapping, session);
}

interface NewKeys {
  readonly by: KeySource;
  readonly kdf: KeyDerivation;
  readonly wrapping: Buffer;
  readonly session?: Buffer | undefined;
}

/** Whether seals of this journal cover all of a line, and not only its data, number and type. */
export function coversLines({ version }: Encryption): boolean {
  return version !== undefined;
}

/** The keys of a journal; undefined if a different key wrapped them, or the wrapped keys were changed. */
export function unwrapKeys(id: string, encryption: Encryption, wrapping: Buffer): SessionKeys | undefined {
  const wrapped = Buffer.from(encryption.key, 'base64');
  const session = openBytes(wrapping, wrapped, wrapContext(id, encryption.journal));
  return session && keysOf(id, encryption, wrapping, session);
}

/** Why the first line's description of the encryption is of no use; undefined if it is sound. */
export function faultOf(encryption: Encryption): string | undefined {
  const { version, cipher, by, kdf, journal, key } = encryption as Partial<Encryption>;
  if (version !== undefined && version !== VERSION)
    return `it is sealed in a way that this version does not know (${version})`;
  if (cipher !== CIPHER) return `it names a cipher that this version does not know (${String(cipher).slice(0, 40)})`;
  if (by !== 'passphrase' && by !== 'key-file') return 'it does not say what opens it';
  if (kdf?.name !== (by === 'passphrase' ? 'scrypt' : 'hkdf-sha256') || typeof kdf.salt !== 'string') {
    return 'it does not say how its key is made';
  }
  const length = typeof key === 'string' ? Buffer.from(key, 'base64').length : 0;
  const isWhole = length === NONCE_BYTES + KEY_BYTES + TAG_BYTES && typeof journal === 'string';
  return isWhole ? undefined : 'its wrapped key is not whole';
}

/**
 * Nonce, ciphertext and tag. `context` is not stored: sealed bytes that were moved elsewhere do not open.
 */
export function sealBytes(key: Buffer | KeyObject, bytes: Uint8Array | string, context: string | Uint8Array): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(bytesOf(context));
  const first = typeof bytes === 'string' ? cipher.update(bytes, 'utf8') : cipher.update(bytes);
  return Buffer.concat([nonce, first, cipher.final(), cipher.getAuthTag()]);
}

/** Undefined if a single bit of it, of its key or of its context is another one. */
export function openBytes(key: Buffer | KeyObject, sealed: Buffer, context: string | Uint8Array): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(bytesOf(context)).setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    const first = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES));
    return Buffer.concat([first, decipher.final()]);
  } catch {
    return undefined;
  }
}

function bytesOf(context: string | Uint8Array): Uint8Array {
  return typeof context === 'string' ? Buffer.from(context) : context;
}

/** Random bytes are drawn for many nonces at once: one call for each costs more than the sealing. */
let nonces = Buffer.alloc(0);

function nextNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(NONCE_BYTES * 256);
  const nonce = nonces.subarray(0, NONCE_BYTES);
  nonces = nonces.subarray(NONCE_BYTES);
  return nonce;
}

function keysOf(id: string, encryption: Encryption, wrapping: Buffer, session: Buffer): SessionKeys {
  const journal = Buffer.from(encryption.journal, 'base64');
  const none = Buffer.alloc(0);
  return {
    encryption,
    wrapping,
    session,
    lines: createSecretKey(derived(session, journal, `ollm lines ${id}`)),
    documents: createSecretKey(derived(session, journal, `ollm documents ${id}`)),
    blobs: createSecretKey(derived(session, none, 'ollm blobs')),
    blobId: createHash('sha256')
      .update(derived(session, none, 'ollm blob id'))
      .digest('hex')
      .slice(0, 32),
  };
}

function wrapContext(id: string, journal: string): string {
  return `ollm session key\n${id}\n${journal}`;
}

function derived(key: Uint8Array, salt: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, use, KEY_BYTES));
}
