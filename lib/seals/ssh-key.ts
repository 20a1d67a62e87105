// Public keys as SSH writes them, and what Node's crypto makes of them. Ed25519, RSA and ECDSA; keys of a security
// device are left to `ssh-keygen`.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { WireReader, wireString } from './ssh-wire.ts';

/** Each curve of ECDSA by its name in SSH: that in a JWK, and the bytes of a coordinate. */
const CURVES: Readonly<Record<string, { readonly jwk: string; readonly bytes: number; readonly hash: string }>> = {
  nistp256: { jwk: 'P-256', bytes: 32, hash: 'sha256' },
  nistp384: { jwk: 'P-384', bytes: 48, hash: 'sha384' },
  nistp521: { jwk: 'P-521', bytes: 66, hash: 'sha512' },
};

export interface VerifyingKey {
  readonly key: KeyObject;
  readonly type: 'ed25519' | 'rsa' | 'ecdsa';
  /** For ECDSA keys: bytes of each half of a signature, and the hash of the curve. */
  readonly curve?: { readonly bytes: number; readonly hash: string };
}

/**
 * The fingerprint of a key as `ssh-keygen -l` prints it.
 *
 * @param blob the key as its base64 in a `.pub` file decodes
 * @example
 * fingerprintOf(blob); // 'SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDrQVYNc/1sLmRqCwE'
 */
export function fingerprintOf(blob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** The key as its `.pub` file has it, without a comment: `ssh-ed25519 AAAA…`. */
export function publicKeyText(blob: Uint8Array): string {
  return `${new WireReader(blob).text()} ${Buffer.from(blob).toString('base64')}`;
}

/** The key that checks signatures; undefined for an unknown kind of key. Throws on a blob that does not hold a key. */
export function verifyingKey(blob: Uint8Array): VerifyingKey | undefined {
  const reader = new WireReader(blob);
  const kind = reader.text();
  if (kind === 'ssh-ed25519')
    return { type: 'ed25519', key: fromJwk({ kty: 'OKP', crv: 'Ed25519', x: url(reader.string()) }) };
  if (kind === 'ssh-rsa') {
    const e = reader.string();
    return { type: 'rsa', key: fromJwk({ kty: 'RSA', e: url(unsigned(e)), n: url(unsigned(reader.string())) }) };
  }
  const curve = CURVES[kind.replace(/^ecdsa-sha2-/, '')];
  if (curve === undefined || !kind.startsWith('ecdsa-sha2-')) return undefined;
  reader.text();
  const point = reader.string();
  // 4: not compressed.
  if (point[0] !== 4 || point.length !== 1 + 2 * curve.bytes) return undefined;
  const x = url(point.subarray(1, 1 + curve.bytes));
  const y = url(point.subarray(1 + curve.bytes));
  return { type: 'ecdsa', key: fromJwk({ kty: 'EC', crv: curve.jwk, x, y }), curve };
}

/** An Ed25519 key of Node as SSH writes it. */
export function ed25519Blob(key: KeyObject): Buffer {
  const { x = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([wireString('ssh-ed25519'), wireString(Buffer.from(x, 'base64url'))]);
}

/** Without the zero that keeps a number positive. */
export function unsigned(number: Buffer): Buffer {
  return number[0] === 0 ? number.subarray(1) : number;
}

function fromJwk(key: Readonly<Record<string, string>>): KeyObject {
  return createPublicKey({ key, format: 'jwk' });
}

function url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
