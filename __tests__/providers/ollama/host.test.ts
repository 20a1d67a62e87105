import fc from 'fast-check';
import { withoutSecret } from '../../../lib/config/explain.ts';
import { parseOllamaHost } from '../../../lib/providers/ollama/index.ts';

test.each([
  [undefined, 'http://127.0.0.1:11434'],
  ['', 'http://127.0.0.1:11434'],
  ['  "0.0.0.0" ', 'http://127.0.0.1:11434'],
  ['0.0.0.0:8080', 'http://127.0.0.1:8080'],
  [':11500', 'http://127.0.0.1:11500'],
  ['box', 'http://box:11434'],
  ['box:99', 'http://box:99'],
  ['box:99999', 'http://box:11434'],
  ['box:http', 'http://box:11434'],
  ['http://box', 'http://box:80'],
  ['https://x/', 'https://x:443'],
  ['HTTPS://x/llm/?a#b', 'https://x:443/llm'],
  ['https://x:8443/a/b', 'https://x:8443/a/b'],
  ['box/@scope/llm', 'http://box:11434/@scope/llm'],
  ['box/llm', 'http://box:11434/llm'],
  ['[::1]', 'http://[::1]:11434'],
  ['[::1]:80', 'http://[::1]:80'],
  ['::1', 'http://[::1]:11434'],
  ['[::]:11434', 'http://[::1]:11434'],
  ['me:pw@box', 'http://box:11434'],
  ['me:100%@box', 'http://box:11434'],
])('%j is %s', (value, url) => {
  expect(parseOllamaHost(value).url).toBe(url);
});

test.each([
  'ftp://box',
  'file:///etc/passwd',
  'http://a b',
  'http://user:s3cret@ho st',
  'user:s3cret@ho st',
  'user:s3cret#p@ho st',
  'https://me:pa/s3cret@box',
  'me:12/s3cret@box',
  'me:pa/s3cret?x@box',
  'https:/me:s3cret@box',
])('%j cannot be used, and the error shows a valid form', (value) => {
  expect(() => parseOllamaHost(value)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('127.0.0.1:11434'),
      message: expect.not.stringContaining('s3cret'),
    }),
  );
});

test('a password before the host is never shown, and is sent as one, or the address is refused', () => {
  const begin = fc.constantFrom('', 'http://', 'https://', '//', 'https:/', ' ', '"', 'http://me:', 'me:');
  const part = fc.constantFrom('me', ':', '@', '/', '\\', '12', '?', '#', '.', ' ');
  const parts = fc.array(part, { maxLength: 4 }).map((each) => each.join(''));
  // An @ after a slash, or after the slash of a host with a dot, is one of a path; slashes end a scheme.
  const isPath = /[\\/]@|(?:^|\/)[\w-]+(?:\.[\w-]+)+[\\/]|s3cret.*[\\/]{2}|s3cret[\w.]*:[\\/]/;
  fc.assert(
    fc.property(begin, parts, parts, fc.constantFrom('box', 'box:80/llm'), (scheme, before, after, host) => {
      const text = `${scheme}${before}s3cret${after}@${host}`;
      fc.pre(!isPath.test(text));
      expect(withoutSecret('providers.ollama.host', text, (each) => each)).not.toContain('s3cret');
      try {
        const { url, headers } = parseOllamaHost(text);
        expect(url).not.toContain('s3cret');
        expect(atob(headers.Authorization!.slice('Basic '.length))).toContain('s3cret');
      } catch (error) {
        expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.not.stringContaining('s3cret') });
      }
    }),
    { numRuns: 500 },
  );
});

test('any text is an address that can be called, or an error with a code', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      try {
        expect(URL.canParse(parseOllamaHost(value).url)).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
      }
    }),
    { numRuns: 500 },
  );
});
