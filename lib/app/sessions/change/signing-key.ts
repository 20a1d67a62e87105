// What signs: a key of SSH, through `ssh-keygen`, which asks for its passphrase, an agent or a security device; or an
// Ed25519 key in PEM, by Node itself.
import { spawn } from 'node:child_process';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { OllmError, systemErrorCode } from '../../../errors/index.ts';
import { signWithEd25519 } from '../../../seals/ssh-signature.ts';
import { SEAL_NAMESPACE } from '../../../seals/statement.ts';

/** Signs a text; the signature is in the form of SSH. */
export type Sign = (message: string) => Promise<string>;

const PEM = '-----BEGIN PRIVATE KEY-----';

/**
 * @param path a private key, or the public key of one that an SSH agent holds. Default: `~/.ssh/id_ed25519`
 * @throws OllmError SIGNING_FAILED
 */
export function signingKey(path: string | undefined, home: string = homedir()): Sign {
  const file = path ?? join(home, '.ssh', 'id_ed25519');
  if (!existsSync(file)) {
    throw new OllmError('SIGNING_FAILED', `There is no key at ${file}.`, {
      hint: 'Name one with --key FILE, or make one: ssh-keygen -t ed25519',
      data: { path: file },
    });
  }
  const content = read(file);
  if (!content.trimStart().startsWith(PEM)) return (message) => signBySsh(file, message);
  const key = pemKey(file, content);
  const publicKey = createPublicKey(key);
  return async (message) => signWithEd25519(key, publicKey, { message, namespace: SEAL_NAMESPACE });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw new OllmError('SIGNING_FAILED', `The key ${file} cannot be read: ${(error as Error).message}.`, {
      cause: error,
      data: { path: file },
    });
  }
}

function pemKey(file: string, content: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(content);
  } catch (error) {
    throw new OllmError('SIGNING_FAILED', `${file} is not a key in PEM.`, { cause: error, data: { path: file } });
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new OllmError('SIGNING_FAILED', `${file} is a key of ${key.asymmetricKeyType}; in PEM, only Ed25519 signs.`, {
    hint: 'Name a key of SSH, or make one: openssl genpkey -algorithm ed25519 -out key.pem',
    data: { path: file },
  });
}

/** `ssh-keygen` asks for a passphrase on the terminal itself. */
function signBySsh(file: string, message: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('ssh-keygen', ['-Y', 'sign', '-n', SEAL_NAMESPACE, '-f', file], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    const problems: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => output.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => problems.push(bytes));
    child.on('error', (error) => {
      const hint =
        'Install the client of OpenSSH, or sign with an Ed25519 key in PEM: openssl genpkey -algorithm ed25519';
      reject(new OllmError('SIGNING_FAILED', `ssh-keygen cannot be run: ${error.message}.`, { cause: error, hint }));
    });
    child.on('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(output).toString('utf8'));
      const said = Buffer.concat(problems).toString('utf8').trim() || `exit code ${code}`;
      reject(
        new OllmError('SIGNING_FAILED', `ssh-keygen did not sign with ${file}: ${said}`, { data: { path: file } }),
      );
    });
    child.stdin.on('error', () => {}); // It ended before it read: the exit code tells.
    child.stdin.end(message);
  });
}
