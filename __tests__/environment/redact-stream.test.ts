import fc from 'fast-check';
import { createRedactor } from '../../lib/environment/redact.ts';
import { StreamRedaction } from '../../lib/environment/redact-stream.ts';
import { ALL_SECRETS, SECRETS } from '../support/secrets.ts';
import { SPELLINGS } from './named-spellings.ts';
import { SECRET_SAMPLES } from './secret-samples.ts';

const PHRASE = 'correct horse\nbattery staple';
const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
const KEY_BODY = `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ=='.repeat(1)}\n`;
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----\n${KEY_BODY.repeat(20)}-----END PRIVATE KEY-----\n`;
const redactor = createRedactor({ secretValues: [PHRASE, SECRETS.password, 'pässwort für alle'] });

/** A value as a machine makes it. */
const VALUE = 'aB3dE5fG7hJ9kL1mN2pQ4rS6';
const SAMPLES = [
  ...Object.entries(SECRET_SAMPLES).map(([name, { text }]) => [name, text] as const),
  ...Object.entries(SPELLINGS).map(([name, put]) => [name, put(VALUE)] as const),
];

const words = fc.constantFrom(
  ...['an', 'ordinary', 'line', 'of a log\n', '. ', ', ', '\n\n', '漢字。', '🙂', '"', "'", '`', '{', 'correct horse'],
  ...['password: ', 'password = "', 'api_key=', 'Authorization: Bearer ', 'curl -u me:', 'Cookie: a=', 'https://me:'],
  ...['-----BEGIN CERTIFICATE-----\n', '-----BEGIN ', '@host/', '<password>', '# note\n', '\\n'],
);
const secrets = fc.constantFrom(
  ...[TOKEN, PRIVATE_KEY, PHRASE, 'pässwort für alle', ALL_SECRETS, 'https://me:s3cr3tpass@host/', SECRETS.model],
  ...['password: S3cr3tPass9x\n', 'DB_PASSWORD=hunter2hunter2 # old\n', '"client_secret": "Zk3vQ9x7Lw2pTb5n"'],
);
const text = fc
  .array(fc.oneof({ weight: 5, arbitrary: words }, { weight: 1, arbitrary: secrets }), { maxLength: 40 })
  .chain((pieces) => fc.constantFrom(pieces.join(''), pieces.join(' ')));

function chunksOf(whole: string, lengths: readonly number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, index = 0; at < whole.length; index += 1) {
    const length = lengths[index % lengths.length]!;
    chunks.push(whole.slice(at, at + length));
    at += length;
  }
  return chunks;
}

/** The text given after each chunk, and the rest. */
function given(chunks: readonly string[], isRedacted = true): string[] {
  const stream = new StreamRedaction(isRedacted ? redactor : undefined);
  const taken = chunks.map((chunk) => {
    stream.add(chunk);
    return stream.take();
  });
  return [...taken, stream.end()];
}

const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 200 })), {
  minLength: 1,
  maxLength: 8,
});

describe('a text that is redacted while it arrives', () => {
  it('equals the text redacted in one piece, in any chunks', () => {
    fc.assert(
      fc.property(text, lengths, (whole, sizes) => {
        expect(given(chunksOf(whole, sizes)).join('')).toBe(redactor.redact(whole).text);
      }),
      { numRuns: 300 },
    );
  });

  it('never shows a part of a secret, in any surroundings', () => {
    const values = [TOKEN, PHRASE, 'pässwort für alle', SECRETS.password, SECRETS.forge, SECRETS.model, KEY_BODY];
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), fc.constantFrom(...values), lengths, (before, value, sizes) => {
        const secret = value === KEY_BODY ? PRIVATE_KEY : value;
        const lead = before.filter((word) => word !== 'correct horse').join(' ');
        const taken = given(chunksOf(`${lead} ${secret} and more`, sizes)).join('|');
        for (let at = 0; at + 8 <= value.length; at += 4) {
          const part = value.slice(at, at + 8);
          if (!`${lead} and more`.includes(part)) expect(taken.replaceAll('|', '')).not.toContain(part);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each(SAMPLES)(
    'equals the text redacted in one piece, with a secret in chunks of a few characters: %s',
    (_, sample) => {
      const whole = `Here it is:\n${sample}\n${sample} and so on.\n`;
      const clean = redactor.redact(whole).text;
      for (const size of [1, 7]) expect(given(chunksOf(whole, [size])).join('')).toBe(clean);
    },
  );

  it('shows ordinary words once they are whole, also in a long line and in other scripts', () => {
    expect(given(['The quick bro', 'wn fox', ' jumps'])).toEqual(['The quick ', 'brown ', 'fox ', 'jumps']);
    expect(given(['漢字は', '便利です'])).toEqual(['漢字は', '便利です', '']);
    expect(given(['a🙂'.slice(0, 2), 'a🙂'.slice(2), 'b'])).toEqual(['a', '🙂', '', 'b']);
  });

  it('shows an endless word in parts', () => {
    const run = 'QUJDREVGR0hJSktM'.repeat(4096);
    const taken = given(chunksOf(run, [4096]));
    expect(taken.join('')).toBe(redactor.redact(run).text);
    expect(taken.filter((piece) => piece !== '').length).toBeGreaterThan(5);
  });

  it('buffers no more of a long text than secrets need', () => {
    const line = 'an ordinary line of a log with several words in it\n';
    const whole = `${line.repeat(4000)}${PRIVATE_KEY}${line.repeat(4000)}`;
    expect(given(chunksOf(whole, [8192])).join('')).toBe(redactor.redact(whole).text);
  });

  it('is shown as it arrives if it has nothing to redact, in whole characters', () => {
    expect(given(['half a w', 'ord \ud83d', '\ude42'], false)).toEqual(['half a w', 'ord ', '🙂', '']);
  });
});
