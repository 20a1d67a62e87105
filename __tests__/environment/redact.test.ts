import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createRedactor } from '../../lib/environment/redact.ts';
import { findSecretShapes } from '../../lib/environment/secret-shapes.ts';

// Put together at run time, so that no scanner takes this file for a leak.
const digits = 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEf';
const SAMPLES: Readonly<Record<string, string>> = {
  'openai-key': `sk-${'proj-'}${digits}_${digits}`,
  'anthropic-key': `sk-${'ant-'}api03-${digits}-${digits}AA`,
  'google-key': `AIza${digits.slice(0, 35)}`,
  'aws-key': `AKIA${'Q3EGRI7EXAMPLEZ2'}`,
  'github-token': `ghp_${digits.slice(0, 36)}`,
  'gitlab-token': `glpat-${digits.slice(0, 20)}`,
  'slack-token': `xoxb-${'123456789012'}-${digits.slice(0, 24)}`,
  'stripe-key': `sk_live_${digits.slice(0, 24)}`,
  'npm-token': `npm_${digits.slice(0, 36)}`,
  'huggingface-token': `hf_${digits.slice(0, 34)}`,
  jwt: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${digits}`,
};

const pem = (label: string, end = `-----END ${label}-----`) =>
  `-----BEGIN ${label}-----\n${Array.from({ length: 4 }, () => randomBytes(48).toString('base64')).join('\n')}\n${end}`;

const { redact } = createRedactor();

describe('redact', () => {
  test.each(Object.entries(SAMPLES))('%s: the place keeps kind and length', (kind, secret) => {
    for (const [before, after] of [
      ['', ''],
      ['key=', '\n'],
      ['"', '"'],
      ['(', ').'],
      ['Bearer ', ', and more'],
      [': ', ' '],
    ] as const) {
      expect(redact(before + secret + after)).toEqual({
        text: `${before}[redacted ${kind} ${secret.length}]${after}`,
        found: [{ kind, count: 1 }],
      });
    }
  });

  test.each(Object.entries(SAMPLES))(
    '%s: is found after an escape, as in JSON and in coloured output',
    (kind, secret) => {
      for (const before of [
        '\\n',
        '\\t',
        '\\u0022',
        '\\x22',
        '%3D',
        '\x1b[31m',
        '\x1b[01;31m\x1b[K',
        '\\u001b[38;5;196m',
      ]) {
        expect(redact(before + secret).text).toBe(`${before}[redacted ${kind} ${secret.length}]`);
      }
    },
  );

  test('other spellings of the same kinds are found', () => {
    const spellings = [
      `sk-${digits}${digits.slice(0, 9)}`,
      `sk-or-v1-${'0123456789abcdef'.repeat(4)}`,
      `github_pat_${digits.slice(0, 22)}_${digits}`,
      ...['gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => prefix + digits.slice(0, 36)),
      `xapp-1-${digits}`,
    ];
    for (const secret of spellings) expect(redact(`x ${secret} y`).text).toMatch(/^x \[redacted [a-z-]+ \d+\] y$/);
  });

  test('a private key is removed as a whole, also with its line ends escaped, encrypted, or cut off', () => {
    for (const label of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK']) {
      expect(redact(`a ${pem(label)} b`).text).toMatch(/^a \[redacted private-key \d+\] b$/);
    }
    expect(redact(`{"key":"${pem('PRIVATE KEY').replaceAll('\n', '\\n')}"}`).text).toMatch(
      /^\{"key":"\[redacted private-key \d+\]"\}$/,
    );
    expect(redact(`${pem('RSA PRIVATE KEY').replace('-\n', '-\nProc-Type: 4,ENCRYPTED\n')}!`).text).toMatch(
      /^\[redacted private-key \d+\]!$/,
    );
    expect(redact(`${pem('PRIVATE KEY', '')}...`).text).toMatch(/^\[redacted private-key \d+\]\.\.\.$/);
  });

  test('a certificate, a public key and prose about keys stay', () => {
    for (const text of [
      pem('CERTIFICATE'),
      pem('PUBLIC KEY'),
      'search for "-----BEGIN PRIVATE KEY-----" and "-----END PRIVATE KEY-----"',
    ])
      expect(redact(text).text).toBe(text);
  });

  test('only the password of a URL is removed, and placeholders stay', () => {
    expect(redact('postgres://me:s3cr3t@host:5432/db').text).toBe(
      'postgres://me:[redacted url-password 6]@host:5432/db',
    );
    expect(redact('redis://:pa@ss@h/0').text).toBe('redis://:[redacted url-password 5]@h/0');
    for (const word of ['12?x', 'pa?ss', 'pa#s?s', 'pa?a=b', 'x?'])
      expect(redact(`https://me:${word}@host/`).text).toBe(`https://me:[redacted url-password ${word.length}]@host/`);
    expect(redact(`https://${SAMPLES['github-token']}@github.com/a/b`).text).toBe(
      'https://[redacted github-token 40]@github.com/a/b',
    );
    for (const text of [
      'https://me@host/',
      'http://h:80/a@b',
      'http://h:80?to=ann@example.org',
      'http://h:80#ann@example.org',
      'http://h?ann:b@example.org',
      `https://u:$\{PASSWORD}@h`,
      'https://u:<password>@h',
      'https://name:password@h',
      'ssh://git@h:22/x',
      'see http://a.b/c:d@e',
    ])
      expect(redact(text).text).toBe(text);
  });

  test('a value with a quotation mark or a line end is also found as JSON writes it', () => {
    const value = 'pass"word\\of\nmine';
    const redactor = createRedactor({ secretValues: [value] });
    expect(redactor.redact(`so ${JSON.stringify({ value })}`).text).toBe(
      'so {"value":"[redacted environment-value 20]"}',
    );
    expect(redactor.redact(value).text).toBe('[redacted environment-value 17]');
  });

  test('values of the environment are removed at any place, the longest first', () => {
    const redactor = createRedactor({ secretValues: ['correct horse', 'correct horse battery', 'short', ''] });
    expect(redactor.redact('pw: correct horse battery, short')).toEqual({
      text: 'pw: [redacted environment-value 21], short',
      found: [{ kind: 'environment-value', count: 1 }],
    });
  });

  test('a value that overlaps a known shape is removed together with it', () => {
    const token = SAMPLES['github-token']!;
    const redactor = createRedactor({ secretValues: [`${token.slice(-10)}-and-more`] });
    expect(redactor.redact(`x${' '}${token}-and-more.`).text).toBe('x [redacted github-token 49].');
  });

  test('redacting twice has no further effect', () => {
    const once = redact(Object.values(SAMPLES).join(' and ')).text;
    expect(redact(once)).toEqual({ text: once, found: [] });
  });
});

describe('no false alarm', () => {
  test.each([
    ['a git SHA', createHash('sha1').update('x').digest('hex')],
    ['a sha256', createHash('sha256').update('x').digest('hex')],
    ['a UUID', randomUUID()],
    ['xxh64 digits', '9c0d3b1f00aa77ee'],
    ['a CSS class', '.sk-folding-cube-animation-4-delay { } .task-0123456789abcdef0123 {}'],
    ['an npm integrity', `sha512-${randomBytes(64).toString('base64')}`],
    ['names of settings', 'npm_config_registry npm_package_version hf_hub_download glpat-example ghp_xxx sk-...'],
    ['half a JWT', 'eyJhbGciOiJIUzI1NiJ9 eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx'],
  ])('%s stays', (_title, text) => {
    expect(redact(text)).toEqual({ text, found: [] });
  });

  test('an image in base64 stays, with any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 3000, maxLength: 6000 }),
        fc.constantFrom('AIza', 'AKIA', 'eyJ', 'ASIA'),
        (bytes, word) => {
          const base64 = Buffer.from(bytes).toString('base64');
          const text = `data:image/png;base64,${base64.slice(0, 1000)}${word}${base64.slice(1000)}`;
          expect(redact(text).found).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

test('Feature: services-sessions, Property 28: no secret of a known shape is left in a text, at any place', () => {
  const secret = fc.constantFrom(...Object.entries(SAMPLES));
  const filler = fc.oneof(fc.string(), fc.lorem(), fc.constant('https://a.b/c'));
  fc.assert(
    fc.property(fc.array(fc.tuple(filler, secret), { minLength: 1, maxLength: 8 }), filler, (pieces, tail) => {
      const { text, found } = redact(
        `${pieces.map(([before, [, value]]) => `${before}\n${value}`).join('\n')}\n${tail}`,
      );
      for (const [, [, value]] of pieces) expect(text).not.toContain(value);
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(pieces.length);
    }),
    { numRuns: 300 },
  );
});

test('the work is proportional to the text, even if every place looks like the beginning of a secret', () => {
  const beginnings = [
    'sk-',
    'glpat-',
    'eyJ',
    'eyJ.',
    'eyJa.eyJa.',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    'x://',
    'x://a:',
    'a://@:',
  ];
  const more = [
    'xoxb-',
    'AIza-',
    'ghp_',
    'github_pat_',
    'sk_live_',
    '-----BEGIN PRIVATE KEY-----\nAAAA',
    'sk-glpat-',
    '-----',
    '://',
    'a@',
  ];
  const unit = fc.array(fc.constantFrom(...beginnings, ...more, ' ', 'a', '0', 'A'.repeat(20)), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(unit, (parts) => {
      const text = parts.join('').repeat(600);
      const twice = findSecretShapes(text + text).steps;
      expect(twice).toBeLessThanOrEqual(2 * findSecretShapes(text).steps + 60_000);
    }),
    { numRuns: 100 },
  );
});
