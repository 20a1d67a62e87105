// A certificate that no authority vouches for, made by openssl.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** `names`: as `subjectAltName` has them, `DNS:localhost,IP:127.0.0.1`. */
export function makeCertificate(directory: string, names: string, name = 'cert'): CertificateFiles {
  const [cert, key] = [join(directory, `${name}.pem`), join(directory, `${name}-key.pem`)];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1'];
  const made = spawnSync('openssl', [
    ...kind,
    ...['-subj', '/CN=ollm', '-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert],
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  return { cert, key };
}
