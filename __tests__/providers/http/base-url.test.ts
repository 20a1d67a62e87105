import fc from 'fast-check';
import { parseBaseUrl } from '../../../lib/providers/http/base-url.ts';

const parse = (value: string) => parseBaseUrl(value, 'providers.x.baseUrl');

test.each([
  ['https://api.example.com/v1', 'https://api.example.com/v1'],
  ['https://api.example.com/v1//', 'https://api.example.com/v1'],
  ['HTTPS://API.example.com', 'https://api.example.com'],
  ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
  ['http://127.8.9.1:1', 'http://127.8.9.1:1'],
  ['http://localhost:1234/v1/', 'http://localhost:1234/v1'],
  ['http://[::1]:80/v1', 'http://[::1]/v1'],
  // A different spelling of this machine: the called address is the checked one.
  ['http://2130706433:8080', 'http://127.0.0.1:8080'],
])('%j is %s', (value, url) => {
  expect(parse(value)).toBe(url);
});

test.each([
  ['http://192.168.1.5:8080/v1', 'in the open'],
  ['http://0.0.0.0:8080/v1', 'in the open'],
  ['http://localhost.evil.example/v1', 'in the open'],
  ['http://127.0.0.1.evil.example/v1', 'in the open'],
  ['http://127.0.0.1@evil.example/v1', 'a name or a password'],
  ['https://me:s3cret@example.com/v1', 'a name or a password'],
  ['https://example.com/v1?key=s3cret', '"?"'],
  ['htps:/example.com?key=s3cret', 'http and https'],
  ['//me:s3cret@example.com/v1', 'not an address'],
  ['https://me:pa/s3cret@example.com/v1', '%2F'],
  ['https://me:12/s3cret@example.com/v1', '%2F'],
  ['https://me:p a?s3cret@example.com/v1', '%3F'],
  ['https://me:12?s3cret@example.com/v1', '%3F'],
  ['https://example.com/v1#x', '"#"'],
  ['ftp://example.com', 'http and https'],
  ['file:///etc/passwd', 'http and https'],
  ['example.com/v1', 'not an address'],
  ['', 'not an address'],
])('%j cannot be used: %s', (value, why) => {
  expect(() => parse(value)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(why),
      hint: expect.stringContaining('https'),
    }),
  );
  expect(() => parse(value)).not.toThrow('s3cret');
});

test('every accepted address is https, or this machine', () => {
  const part = fc.constantFrom(
    'http',
    'https',
    '://',
    '127.0.0.1',
    'localhost',
    '.',
    '@',
    ':',
    '/',
    'evil',
    '[::1]',
    '8080',
    '\\',
    '%00',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      let url: URL;
      try {
        url = new URL(parse(parts.join('')));
      } catch (error) {
        expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
        return;
      }
      expect(url.username + url.password).toBe('');
      if (url.protocol !== 'https:') expect(['127.0.0.1', 'localhost', '[::1]']).toContain(url.hostname);
    }),
    { numRuns: 1000 },
  );
});
