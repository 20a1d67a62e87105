// Signatures in the form of SSH, which `ssh-keygen -Y sign` writes and `ssh-keygen -Y verify` checks: the file
// PROTOCOL.sshsig of OpenSSH. They are checked here with Node's crypto, so that a machine without OpenSSH can.
import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { ed25519Blob, unsigned, type VerifyingKey, verifyingKey } from './ssh-key.ts';
import { WireReader, wireNumber, wireString } from './ssh-wire.ts';

const MAGIC = 'SSHSIG';
const VERSION = 1;
const BEGIN = '-----BEGIN SSH SIGNATURE-----';
const END = '-----END SSH SIGNATURE-----';
const COLUMNS = 70;
const HASHES = new Set(['sha256', 'sha512']);

/** What a signature was made of, and for. */
interface SignedText {
  readonly message: string;
  /** Keeps a signature that was made for one purpose from being used for another. */
  readonly namespace: string;
}

/** `key`: the public key that the signature holds, as SSH writes it. */
type SignatureCheck =
  | { readonly kind: 'holds'; readonly key: Buffer }
  | { readonly kind: 'wrong'; readonly key: Buffer }
  /** A kind of key that only `ssh-keygen` checks. */
  | { readonly kind: 'unknown-key'; readonly key: Buffer }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Whether a signature is that of its own key over this message. Whose key it is, the caller must know.
 *
 * @example
 * checkSignature('-----BEGIN SSH SIGNATURE-----…', { message, namespace: 'ollm-journal' }); // { kind: 'holds', key }
 */
export function checkSignature(armored: string, { message, namespace }: SignedText): SignatureCheck {
  try {
    const parts = parse(armored);
    const { key, hash, algorithm, signature } = parts;
    if (parts.namespace !== namespace || !HASHES.has(hash)) return { kind: 'wrong', key };
    const verifying = verifyingKey(key);
    if (verifying === undefined) return { kind: 'unknown-key', key };
    const isRight = isSignatureOf(verifying, {
      algorithm,
      signature,
      bytes: bytesToSign({ message, namespace }, hash),
    });
    return { kind: isRight ? 'holds' : 'wrong', key };
  } catch (error) {
    return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The signature of an Ed25519 key that Node holds, armored. */
export function signWithEd25519(privateKey: KeyObject, publicKey: KeyObject, signed: SignedText): string {
  const raw = sign(null, bytesToSign(signed, 'sha512'), privateKey);
  const blob = Buffer.concat([
    Buffer.from(MAGIC),
    wireNumber(VERSION),
    wireString(ed25519Blob(publicKey)),
    wireString(signed.namespace),
    wireString(''),
    wireString('sha512'),
    wireString(Buffer.concat([wireString('ssh-ed25519'), wireString(raw)])),
  ]);
  const lines = blob.toString('base64').match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? [];
  return `${[BEGIN, ...lines, END].join('\n')}\n`;
}

function parse(armored: string) {
  const text = armored.trim();
  if (!text.startsWith(BEGIN) || !text.endsWith(END)) throw new Error('It is no signature of SSH');
  const reader = new WireReader(exactBytes(text.slice(BEGIN.length, -END.length)));
  if (reader.bytes(MAGIC.length).toString('latin1') !== MAGIC) throw new Error('It is no signature of SSH');
  const version = reader.number();
  if (version !== VERSION) throw new Error(`It is of version ${version}, and ${VERSION} is known`);
  const key = reader.string();
  const namespace = reader.text();
  reader.string(); // Reserved.
  const hash = reader.text();
  const inner = new WireReader(reader.string());
  const algorithm = inner.text();
  const signature = inner.string();
  if (!reader.isAtEnd || !inner.isAtEnd) throw new Error('There are bytes after its end');
  return { key, namespace, hash, algorithm, signature };
}

// Node ignores the bits after the last whole byte and characters that are not base64. `ssh-keygen` refuses both.
function exactBytes(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64.replace(/\s/g, '')) throw new Error('Its base64 is damaged');
  return bytes;
}

function bytesToSign({ message, namespace }: SignedText, hash: string): Buffer {
  const digest = createHash(hash).update(message).digest();
  return Buffer.concat([
    Buffer.from(MAGIC),
    wireString(namespace),
    wireString(''),
    wireString(hash),
    wireString(digest),
  ]);
}

interface RawSignature {
  readonly algorithm: string;
  readonly signature: Buffer;
  readonly bytes: Buffer;
}

function isSignatureOf({ type, key, curve }: VerifyingKey, { algorithm, signature, bytes }: RawSignature): boolean {
  if (type === 'ed25519') return algorithm === 'ssh-ed25519' && verify(null, bytes, key, signature);
  if (type === 'rsa') {
    // `ssh-rsa` means SHA-1, which can be forged.
    const hash = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }[algorithm];
    return hash !== undefined && verify(hash, bytes, key, signature);
  }
  if (curve === undefined || !algorithm.startsWith('ecdsa-sha2-')) return false;
  const halves = new WireReader(signature);
  const [r, s] = [halves.string(), halves.string()].map((half) => padded(unsigned(half), curve.bytes));
  if (r === undefined || s === undefined || !halves.isAtEnd) return false;
  return verify(curve.hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]));
}

function padded(number: Buffer, length: number): Buffer {
  if (number.length > length) throw new RangeError('A half of the signature is too long');
  return Buffer.concat([Buffer.alloc(length - number.length), number]);
}
