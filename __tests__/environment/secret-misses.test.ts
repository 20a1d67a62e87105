import { KEY_FORMATS, type KeyFormat } from '../../lib/environment/key-formats.ts';
import { createRedactor } from '../../lib/environment/redact.ts';
import { createDraw, SEED } from './drawn-values.ts';
import { POSITIONS, SPELLINGS } from './named-spellings.ts';

const { redact } = createRedactor();
const KEYS = 10_000;
/** Keys that are read in one text. */
const AT_ONCE = 500;

/** How many of 10,000 keys are left in a text that holds them. */
function missesOf(draw: () => string, put: (key: string) => string): number {
  let misses = 0;
  for (let count = 0; count < KEYS; count += AT_ONCE) {
    const keys = Array.from({ length: AT_ONCE }, draw);
    const { text } = redact(keys.map(put).join('\n'));
    const lines = text.split('\n');
    for (const [at, key] of keys.entries()) if (lines[at]!.includes(key)) misses += 1;
  }
  return misses;
}

describe('of 10,000 random keys, nearly all are redacted:', () => {
  const draw = createDraw();
  /** With a prefix only letters that look like a name are left: 1 in 500 of the shortest keys. */
  const most: Readonly<Record<string, number>> = { 'neon-password': 300, 'slack-token': 60 };

  it.each((KEY_FORMATS as readonly KeyFormat[]).map((format) => [format.prefixes.join(', '), format] as const))(
    '%s',
    (_, { kind, prefixes, body, least }) => {
      let count = 0;
      const misses = missesOf(
        () => {
          count += 1;
          return prefixes[count % prefixes.length]! + draw(least, body);
        },
        (key) => `see ${key} here`,
      );
      expect({ seed: SEED, isFew: misses <= (most[kind] ?? 20), misses }).toMatchObject({ isFew: true });
    },
  );

  it.each<[string, number, number, Parameters<typeof draw>[1], (key: string) => string]>([
    ['API_KEY= with 16 characters', 150, 16, 'alphanumeric', (key) => `API_KEY=${key}`],
    ['API_KEY= with 20 characters', 100, 20, 'alphanumeric', (key) => `API_KEY=${key}`],
    ['API_KEY= with 32 characters', 20, 32, 'alphanumeric', (key) => `API_KEY=${key}`],
    ['API_KEY= with 32 hexadecimal digits', 10, 32, 'hex', (key) => `API_KEY=${key}`],
    ['AWS_SECRET_ACCESS_KEY=', 20, 40, 'base64', (key) => `AWS_SECRET_ACCESS_KEY=${key}`],
    ['AccountKey=', 20, 86, 'base64', (key) => `AccountName=me;AccountKey=${key}==;EndpointSuffix=x`],
    ['Authorization: Bearer', 20, 32, 'alphanumeric', (key) => `Authorization: Bearer ${key}`],
    ['Authorization: token', 20, 32, 'alphanumeric', (key) => `Authorization: token ${key}`],
    ['x-api-key:', 100, 24, 'alphanumeric', (key) => `x-api-key: ${key}`],
    ['?access_token=', 100, 24, 'dashed', (key) => `https://example.org/?access_token=${key}`],
    ['a cookie', 100, 24, 'alphanumeric', (key) => `Cookie: sid=${key}; theme=dark`],
    ['a password of 16 characters', 100, 16, 'alphanumeric', (key) => `DB_PASSWORD=${key}`],
    ['a bot token of Discord', 20, 38, 'dashed', (key) => `MTk4NjIyNDgzNDcxOTI1MjQ4.${key.slice(0, 6)}.${key}`],
    ['a random key of Discord', 200, 38, 'dashed', (key) => `N${key.slice(7, 30)}.${key.slice(0, 6)}.${key}`],
    ['a refresh token of Google', 20, 96, 'dashed', (key) => `1//0${key}`],
  ])('%s', (_, few, length, alphabet, put) => {
    const misses = missesOf(() => draw(length, alphabet), put);
    expect({ seed: SEED, isFew: misses <= few, misses }).toMatchObject({ isFew: true });
  });
});

describe('a value whose name marks it as a secret is redacted,', () => {
  const draw = createDraw();
  /** With digits enough, so that nothing depends on luck. */
  const value = () => {
    for (;;) {
      const drawn = draw(24);
      if (drawn.replace(/\D/g, '').length >= 6) return drawn;
    }
  };

  it.each(Object.entries(SPELLINGS))('written as %s', (_, put) => {
    for (const [position, within] of Object.entries(POSITIONS)) {
      const secret = value();
      const { text } = redact(within(put(secret)));
      expect({ position, seed: SEED, text }).toEqual({
        position,
        seed: SEED,
        text: expect.not.stringContaining(secret),
      });
      expect(text).toContain('[redacted ');
      expect(redact(text)).toEqual({ text, found: [] });
    }
  });

  it('also a password of a few characters, with the lines of a diff', () => {
    for (const line of [
      '-DB_PASSWORD=V',
      '+DB_PASSWORD=V',
      '- DB_PASSWORD=V',
      '- password: V',
      '-password: V',
      '--password V',
    ])
      expect(redact(`@@ -1 +1 @@\n${line.replace('V', 'hunter2xyz')}\n`).text).not.toContain('hunter2xyz');
  });
});
