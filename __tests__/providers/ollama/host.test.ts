import fc from 'fast-check';
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
])('%j cannot be used, and the error shows a valid form', (value) => {
  expect(() => parseOllamaHost(value)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('127.0.0.1:11434'),
      message: expect.not.stringContaining('s3cret'),
    }),
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
