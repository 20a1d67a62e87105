import * as fc from 'fast-check';
import { excerpt } from '../../lib/display/excerpt.ts';

test('an excerpt is the text itself if there is room, otherwise its beginning with a sign, and always well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, room) => {
      const shown = excerpt(text, room);
      expect(shown.isWellFormed()).toBe(true);
      if (text.length <= room) expect(shown).toBe(text);
      else expect([shown.length, shown.at(-1)]).toEqual([room + 1, '…']);
    }),
  );
  expect(excerpt('a😀', 2)).toBe('a\uFFFD…');
});
