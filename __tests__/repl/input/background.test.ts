import fc from 'fast-check';
import type { Theme } from '../../../lib/display/paint.ts';
import { BackgroundReply } from '../../../lib/repl/input/background.ts';

function readIn(pieces: readonly string[]) {
  const themes: Theme[] = [];
  const reply = new BackgroundReply((theme) => themes.push(theme));
  const typed = pieces.map((piece) => reply.take(piece)).join('');
  return { typed, themes };
}

it.each([
  ['\x1b]11;rgb:ffff/ffff/ffff\x07', 'light'],
  ['\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\', 'light'],
  ['\x1b]11;rgb:00/2b/36\x07', 'dark'],
  ['\x1b]11;rgba:0000/0000/0000/ffff\x1b\\', 'dark'],
])('%j is a background that is %s', (reply, theme) => {
  expect(readIn([reply])).toEqual({ typed: '', themes: [theme] });
});

it("the terminal's reply is removed from the input, however it is cut, and no key is lost", () => {
  const keys = fc.string({ unit: fc.constantFrom('a', 'é', '\r', '\x1b[A', ']', '1', ';'), maxLength: 6 });
  fc.assert(
    fc.property(keys, keys, fc.array(fc.nat(60), { maxLength: 5 }), (before, after, cuts) => {
      const all = `${before}\x1b]11;rgb:ffff/ffff/ffff\x1b\\${after}`;
      // A lone ESC may be the key of that name, and is not held back.
      const isPlace = (cut: number) => cut < all.length && cut !== before.length + 1;
      const places = [0, ...cuts.filter(isPlace).sort((a, b) => a - b), all.length];
      const pieces = places.slice(1).map((end, index) => all.slice(places[index], end));
      expect(readIn(pieces)).toEqual({ typed: before + after, themes: ['light'] });
    }),
  );
});

it('keys are not held back if no reply comes', () => {
  for (const key of ['\x1b[A', '\x1b', 'a', '\x1bb']) expect(readIn([key]).typed).toBe(key);
});
