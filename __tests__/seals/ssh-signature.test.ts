import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { ed25519Blob, fingerprintOf, publicKeyText } from '../../lib/seals/ssh-key.ts';
import { checkSignature, signWithEd25519 } from '../../lib/seals/ssh-signature.ts';

const namespace = 'ollm-journal';
const message = 'ollm seal 1\nsession notes\n';
const itWithSsh = spawnSync('ssh-keygen', ['-?']).error ? it.skip : it;

const pair = generateKeyPairSync('ed25519');
const own = signWithEd25519(pair.privateKey, pair.publicKey, { message, namespace });

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ollm-keys-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function signedBySsh(name: string, options: readonly string[]) {
  const key = join(directory, name);
  execFileSync('ssh-keygen', ['-q', ...options, '-N', '', '-f', key]);
  const signature = execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', namespace, '-f', key], {
    input: message,
    stdio: ['pipe', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', key], { encoding: 'utf8' }).split(' ')[1];
  return { signature, fingerprint };
}

describe('a signature that ssh-keygen made', () => {
  itWithSsh.each([
    ['ed25519', ['-t', 'ed25519']],
    ['rsa', ['-t', 'rsa', '-b', '2048']],
    ['nistp256', ['-t', 'ecdsa', '-b', '256']],
    ['nistp384', ['-t', 'ecdsa', '-b', '384']],
    ['nistp521', ['-t', 'ecdsa', '-b', '521']],
  ])('with a key of %s holds for its text, and for no other text or purpose', (name, options) => {
    const { signature, fingerprint } = signedBySsh(name, options);
    const check = checkSignature(signature, { message, namespace });
    expect(check.kind).toBe('holds');
    expect('key' in check && fingerprintOf(check.key)).toBe(fingerprint);
    expect(checkSignature(signature, { message: `${message} `, namespace }).kind).toBe('wrong');
    expect(checkSignature(signature, { message, namespace: 'file' }).kind).toBe('wrong');
  });
});

describe('a signature of an Ed25519 key in PEM', () => {
  itWithSsh('is verified by ssh-keygen for an allowed signer', () => {
    const signers = join(directory, 'signers');
    const signature = join(directory, 'signature');
    writeFileSync(signers, `ann@example.org ${publicKeyText(ed25519Blob(pair.publicKey))}\n`);
    writeFileSync(signature, own);
    const args = ['-Y', 'verify', '-f', signers, '-I', 'ann@example.org', '-n', namespace, '-s', signature];
    expect(execFileSync('ssh-keygen', args, { input: message, encoding: 'utf8' })).toContain('Good "ollm-journal"');
  });

  it('is valid here, without OpenSSH', () => {
    expect(checkSignature(own, { message, namespace }).kind).toBe('holds');
  });

  it('is invalid after a change of any character of its base64', () => {
    const body = own.split('\n').slice(1, -2).join('\n');
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.constantFrom(...'ABCDwxyz0189+/'), (at, letter) => {
        fc.pre(body[at] !== '\n' && body[at] !== '=' && body[at] !== letter);
        const changed = own.replace(body, `${body.slice(0, at)}${letter}${body.slice(at + 1)}`);
        expect(checkSignature(changed, { message, namespace }).kind).not.toBe('holds');
      }),
    );
  });

  it('is unreadable if bits after its last byte are set, as ssh-keygen decides too', () => {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const last = own.indexOf('=') - 1;
    const other = digits[digits.indexOf(own[last] ?? '') + 1] ?? '';
    const changed = `${own.slice(0, last)}${other}${own.slice(last + 1)}`;
    expect(checkSignature(changed, { message, namespace })).toEqual({
      kind: 'unreadable',
      reason: 'Its base64 is damaged',
    });
  });

  it('is unreadable, without an exception, if it is cut anywhere or is any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.nat(own.length - 2).map((end) => own.slice(0, end)),
          fc.string(),
        ),
        (text) => {
          expect(checkSignature(text, { message, namespace }).kind).toBe('unreadable');
        },
      ),
    );
  });
});
