import { generateKeyPairSync } from 'node:crypto';
import { createPrivateKeyLines } from '../../lib/environment/private-key-lines.ts';

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString()
  .trim();

function kept(text: string): string[] {
  const keys = createPrivateKeyLines();
  return text.split('\n').filter((line) => !keys.takes(line));
}

it('each line of a private key is removed, and no other one', () => {
  expect(kept(`before\n${pem}\nafter`)).toEqual(['before', 'after']);
});

it('a private key is removed after a time stamp of a logger, and with headers', () => {
  const timed = pem
    .split('\n')
    .map((line, index) => `12:00:0${index % 10} ERR ${line}`)
    .join('\n');
  expect(kept(`${timed}\nafter`)).toEqual(['after']);
  const body = 'A'.repeat(64);
  const block = ['-----BEGIN PGP PRIVATE KEY BLOCK-----', 'Version: 2', 'Comment: mine', '', body, body, '=AbCd'];
  expect(kept([...block, '-----END PGP PRIVATE KEY BLOCK-----', 'after'].join('\n'))).toEqual(['after']);
});

it('the text after a private key without an end is kept', () => {
  const cut = pem.split('\n').slice(0, -1).join('\n');
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  expect(kept([cut, ...text].join('\n'))).toEqual(text.slice(8));
});

it('public keys, certificates and words about keys are kept', () => {
  const text = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\nPRIVATE KEY\nBEGIN';
  expect(kept(text)).toEqual(text.split('\n'));
});
