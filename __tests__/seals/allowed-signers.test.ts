import { parseAllowedSigners } from '../../lib/seals/allowed-signers.ts';
import { fingerprintOf } from '../../lib/seals/ssh-key.ts';

const KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIFFcB4GRx7VF+pLDK8C7gzfcp6X7pz0CLKUJ/BK6k/W+';
const fingerprint = fingerprintOf(Buffer.from(KEY, 'base64'));
const always = { afterMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY };

describe('a line of a list of allowed signers', () => {
  it.each([
    [`ann@example.org ssh-ed25519 ${KEY}`, 'ann@example.org', always],
    [`"Ann Example" ssh-ed25519 ${KEY} a comment`, 'Ann Example', always],
    [`ann namespaces="ollm-journal" ssh-ed25519 ${KEY}`, 'ann', always],
    [`ann namespaces="git,ollm-*" ssh-ed25519 ${KEY}`, 'ann', always],
    [
      `ann valid-after="20260101Z",valid-before="202612312359Z" ssh-ed25519 ${KEY}`,
      'ann',
      { afterMs: Date.UTC(2026, 0, 1), beforeMs: Date.UTC(2026, 11, 31, 23, 59) },
    ],
  ])('allows its key: %s', (line, principals, limits) => {
    expect(parseAllowedSigners(`# team\n\n${line}\r\n`, 'ollm-journal')).toEqual([
      { principals, fingerprint, ...limits },
    ]);
  });

  it.each([
    `ann namespaces="git" ssh-ed25519 ${KEY}`,
    `ann cert-authority ssh-ed25519 ${KEY}`,
    `ann valid-after="soon" ssh-ed25519 ${KEY}`,
    `ann unknown="x" ssh-ed25519 ${KEY}`,
    `# ann ssh-ed25519 ${KEY}`,
    'ann',
    '',
  ])('allows no key: %s', (line) => {
    expect(parseAllowedSigners(line, 'ollm-journal')).toEqual([]);
  });

  it('allows no key when it is long and has none', () => {
    for (const line of [`ann ${'a'.repeat(100_000)}!`, `ann ${'a="",'.repeat(20_000)}!`, 'a-'.repeat(50_000)])
      expect(parseAllowedSigners(line, 'ollm-journal')).toEqual([]);
  });
});
