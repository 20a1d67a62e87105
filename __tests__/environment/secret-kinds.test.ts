import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { createRedactor, type Redactor } from '../../lib/environment/redact.ts';
import { SECRET_SAMPLES } from './secret-samples.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { redact } = createRedactor();

describe('a secret is redacted, of the kind', () => {
  it.each(Object.entries(SECRET_SAMPLES))('%s', (_, { secret, text }) => {
    const clean = redact(text);
    expect(clean.text).not.toContain(secret);
    expect(clean.found).toHaveLength(1);
    // Nothing of its second half is left either.
    expect(clean.text).not.toContain(secret.slice(-Math.ceil(secret.length / 2)));
    expect(redact(clean.text)).toEqual({ text: clean.text, found: [] });
  });

  it.each(['GitHub', 'npm', 'AWS key id', 'Google API'])('%s, joined to the word before it', (name) => {
    const { secret } = SECRET_SAMPLES[name]!;
    for (const word of ['token', 'my_key', 'Bearer', 'aws'])
      for (const text of [`${word}${secret}`, `is "${word}${secret}"`, `x=${word}${secret}, and so on`])
        expect(redact(text).text).not.toContain(secret);
  });

  it('AWS and Google next to a slash, as in a path or a signature', () => {
    for (const name of ['AWS key id', 'Google API']) {
      const { secret } = SECRET_SAMPLES[name]!;
      for (const text of [`/${secret}/x`, `Credential=${secret}/20261123/us-east-1`, `a/${secret}`, `+${secret}+`])
        expect(redact(text).text).not.toContain(secret);
    }
  });
});

describe('the rules of secretlint, which its makers maintain', () => {
  const ids = rules.map(({ meta }) => meta.id.replace('@secretlint/secretlint-rule-', ''));
  /** It finds comments that switch other rules off. */
  const NO_SECRETS = ['filter-comments'];

  /** Which of its rules find a secret in a text. */
  function foundBy(text: string): string[] {
    return rules.flatMap((rule) => {
      let isFound = false;
      const context = {
        createTranslator: () => () => ({ message: '', messageId: '' }),
        report: () => {
          isFound = true;
        },
        ignore: () => undefined,
        sharedOptions: {},
      };
      for (const ext of ['.txt', '.json'])
        rule.create(context as never, {} as never).file?.({ content: text, ext, contentType: 'text' } as never);
      return isFound ? [rule.meta.id.replace('@secretlint/secretlint-rule-', '')] : [];
    });
  }

  it('find nothing in any sample once it is redacted', () => {
    for (const [name, { text }] of Object.entries(SECRET_SAMPLES))
      expect({ name, found: foundBy(redact(text).text) }).toEqual({ name, found: [] });
  });

  it('have a sample here each, so that a new rule needs a row here', () => {
    const covered = new Set(Object.values(SECRET_SAMPLES).flatMap(({ text }) => foundBy(text)));
    expect(ids.filter((id) => !covered.has(id) && !NO_SECRETS.includes(id))).toEqual([]);
  });
});

describe('the base64 of a known value', () => {
  const value = ['correct', 'horse', 'battery'].join('-');
  const redactor = createRedactor({ secretValues: [value] });

  it.each([0, 1, 2, 3, 17])('is redacted, with %d bytes before it', (before) => {
    for (const form of ['base64', 'base64url'] as const) {
      for (const after of ['', '\n', ' and so on']) {
        const encoded = Buffer.from(`${'x'.repeat(before)}${value}${after}`).toString(form);
        const { text } = redactor.redact(`so ${encoded}.`);
        expect(Buffer.from(text, form).toString('latin1')).not.toContain('horse');
        expect(text).toContain('[redacted environment-value');
        expect(text.startsWith('so ')).toBe(true);
      }
    }
  });

  it('is distinguished from other base64', () => {
    const text = randomBytes(60_000).toString('base64');
    expect(redactor.redact(text).text).toBe(text);
  });
});

describe('no false alarm', () => {
  it.each([
    'password: string;',
    'const password = await readPassword();',
    'token = tokens[index1234567890123456]',
    '"password": "Passwords must match"',
    'apiKey: process.env.OPENAI_API_KEY_2,',
    'DB_PASSWORD=$DB_PASSWORD',
    'DB_PASSWORD=<your password 1>',
    'API_KEY=your-api-key-1234567890',
    'MAX_TOKENS=12345678',
    'Authorization: Bearer $TOKEN',
    'Authorization: Bearer <token1234567890123456>',
    'authorization: `Bearer $' + '{token}`',
    'Bearer authentication is described in RFC 6750 and others',
    'Basic authentication',
    'curl -u name:password https://example.org',
    'curl -u "$USER:$PASSWORD" https://example.org',
    'key-value-pairs and sk-folding-cube-1',
    'monkey-0123456789abcdef0123456789abcdef and desk-0123456789abcdef0123456789abcdef',
    'MASK0123456789abcdef0123456789abcdef',
    `${'Zm9v'.repeat(9)}AKIA0123456789ABCDEF`,
    'x9-sk-0123456789abcdefghij0123456789',
    '"type": "password"',
    'PWD=/home/me/work2\nOLDPWD=/home/me/work1',
    'PWD=C:\\Users\\me2',
    'PWD=~/work2',
    '{\n\tPwd: "/a/b/1234/d/e",\n}',
    'TOKEN=your_bot_token\\nAPI_KEY=your_api_key\\nBASE_URL=https://api.openai.com/v1\\n',
    'token: Uint8Array32Parser;',
    'const token: AuthorizationHeaderV2 = next()',
    'x-api-key: the key of your account, see page 12',
    'the token was read by readToken2FromUrl and kept',
    'Cookie: theme=dark; consent=accepted',
    'https://example.org/?key=value&token=next-page-2',
    'password reset was requested on 2026-11-26',
    'tool --password-file /run/secrets/db1 --token-ttl 3600seconds',
    '<password>a word</password> <Token>TokenOfAuthorization2</Token>',
    'ASIAACGTACGTACGTACGT',
    'sk_test_nameOfSomethingLonger and glpat-some-name-of-a-thing',
    'identified by the name of the user1',
  ])('%s', (text) => {
    expect(redact(text)).toEqual({ text, found: [] });
  });

  it('in 80,000 lines of ordinary code and prose', () => {
    const found: string[] = [];
    let lines = 0;
    for (const file of ordinaryFiles()) {
      const text = readFileSync(file, 'utf8');
      lines += text.split('\n').length;
      const kinds = redact(text).found.filter(({ kind }) => kind !== 'url-password');
      if (kinds.length > 0) found.push(`${file}: ${JSON.stringify(kinds)}`);
      if (lines > 80_000) break;
    }
    expect(lines).toBeGreaterThan(77_000);
    expect(found).toEqual([]);
  });

  it('in base64 and base64url of any bytes', () => {
    for (const form of ['base64', 'base64url', 'hex'] as const)
      for (let count = 0; count < 20; count += 1) {
        const text = randomBytes(60_000).toString(form);
        expect(redact(text).found).toEqual([]);
      }
  });
});

/** Packages without fixtures of secrets. */
function* ordinaryFiles(): Generator<string> {
  for (const folder of [
    'node_modules/rxjs/src',
    'node_modules/undici/lib',
    'node_modules/typescript/lib',
    'node_modules/ajv/lib',
    'node_modules/zod/src/v4/core',
    'node_modules/rxjs/dist/esm',
    'lib',
  ])
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && /\.(?:ts|js|json|md)$/.test(entry.name)) yield join(entry.parentPath, entry.name);
}

describe('the processor time of a redaction', () => {
  const cpuMs = (work: () => void) => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  /** The least of some tries: others use the same processor. */
  const least = (work: () => void) => Math.min(...Array.from({ length: 3 }, () => cpuMs(work)));

  /** How many times as much work a text needs that is eight times as long. Work that is quadratic needs 64 times. */
  function growth(redactor: Redactor, text: (length: number) => string, length: number): number {
    const [short, long] = [text(length), text(8 * length)];
    redactor.redact(short);
    return least(() => redactor.redact(long)) / least(() => redactor.redact(short));
  }

  it('is proportional to the length of code', () => {
    const texts = [...ordinaryFiles()].slice(0, 300).map((file) => readFileSync(file, 'utf8'));
    const code = texts.join('\n');
    const redactor = createRedactor({
      secretValues: Array.from({ length: 10 }, (_, at) => `value-number-${at}-of-ten`),
    });
    expect(code.length).toBeGreaterThan(1_000_000);
    expect(growth(redactor, (length) => code.slice(0, length), 125_000)).toBeLessThan(24);
  });

  it.each(
    [
      '-u a:',
      'curl -u a',
      'curl ',
      'password=',
      'a.b',
      'N.aaaaaa.',
      'token:',
      '"key',
      'Bearer ',
      'Bearer a1',
      '_auth=',
      'sig=',
      '1:AA',
      'hf_',
      'SK0',
      'dapi0',
      '?sig=a1',
      'password: ',
      'x_password_',
      'aB3',
      'aA1.aaaaaa.',
      '-',
      '_',
      '.',
      '=',
      'cookie: a=',
      'curl -b a=',
      'authorization: a1 ',
      'login x password ',
      '"name":"token",',
      '<token>',
      '?key=',
      'token%3D',
      '--token ',
      '\\\\\\"token',
      'identified by ',
      '1//0',
      'N.aaaaaa.aB3',
    ].map((unit) => [unit]),
  )('is proportional to the length of a text of only %j', (unit) => {
    const text = (length: number) => unit.repeat(Math.ceil(length / unit.length));
    expect(growth(createRedactor(), text, 30_000)).toBeLessThan(24);
  });
});
