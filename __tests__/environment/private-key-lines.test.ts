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

it('takes each line of a key, and no other one', () => {
  expect(kept(`before\n${pem}\nafter`)).toEqual(['before', 'after']);
});

it('takes a key that a logger wrote a time before, and one with headers', () => {
  const timed = pem
    .split('\n')
    .map((line, index) => `12:00:0${index % 10} ERR ${line}`)
    .join('\n');
  expect(kept(`${timed}\nafter`)).toEqual(['after']);
  const body = 'A'.repeat(64);
  const block = ['-----BEGIN PGP PRIVATE KEY BLOCK-----', 'Version: 2', 'Comment: mine', '', body, body, '=AbCd'];
  expect(kept([...block, '-----END PGP PRIVATE KEY BLOCK-----', 'after'].join('\n'))).toEqual(['after']);
});

it('continues after a key that has no end', () => {
  const cut = pem.split('\n').slice(0, -1).join('\n');
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  expect(kept([cut, ...text].join('\n'))).toEqual(text.slice(8));
});

it('leaves public keys, certificates and words about keys', () => {
  const text = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\nPRIVATE KEY\nBEGIN';
  expect(kept(text)).toEqual(text.split('\n'));
});
