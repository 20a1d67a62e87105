import { isText, kindOfBytes } from '../../lib/tools/kind-of-bytes.ts';

test.each<[string, Uint8Array]>([
  ['nothing at all', new Uint8Array(0)],
  ['an old encoding', Buffer.from('Stra\xdfe nach K\xf6ln\n'.repeat(100), 'latin1')],
  ['what ends in the middle of a character', Buffer.from('日志'.repeat(100)).subarray(0, 500)],
  ['names with NUL between', Buffer.from('lib/one.ts\0lib/another.ts\0README.md\0')],
])('%s is text', (_, bytes) => {
  expect(isText(bytes)).toBe(true);
});

test.each<[string, Uint8Array]>([
  ['UTF-16', Buffer.from('Straße', 'utf16le')],
  ['ASCII in UTF-16, which is UTF-8 with a NUL in every second place', Buffer.from('Strasse', 'utf16le')],
  ['a program', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\xff\xfe', 'latin1')],
  ['bytes of any kind', Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => 255 - index))],
])('%s is not text', (_, bytes) => {
  expect(isText(bytes)).toBe(false);
});

test.each<[string, string | undefined]>([
  ['\x89PNG\r\n\x1a\n', 'PNG image'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'WebP image'],
  ['RIFF\x10\0\0\0WAVEfmt ', undefined],
  ['\xfe\xff\0S', 'UTF-16 text'],
  ['plain', undefined],
  ['', undefined],
])('the beginning of %j is %j', (beginning, kind) => {
  expect(kindOfBytes(Buffer.from(beginning, 'latin1'))).toBe(kind);
});
