// Characters that come in two halves, as some servers cut them: only whole characters are shown.
import fc from 'fast-check';
import { emptyReply, partsOf, takeSignal } from '../../../lib/turn/request/reply.ts';

test('an answer cut at any place is shown in whole characters, and stored unchanged', () => {
  const kind = fc.constantFrom('text', 'reasoning', 'tool-input' as const);
  fc.assert(
    fc.property(
      kind,
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (type, text, places) => {
        const ends = [...places.map((place) => place % (text.length + 1)), text.length].sort(
          (one, other) => one - other,
        );
        const reply = emptyReply();
        const shown = ends.map((end, index) => {
          const piece = text.slice(index === 0 ? 0 : ends[index - 1], end);
          const signal = takeSignal(
            reply,
            type === 'tool-input' ? { type, key: 'k', name: 'n', text: piece } : { type, text: piece },
          );
          return signal === undefined ? '' : 'content' in signal ? signal.content : 'text' in signal ? signal.text : '';
        });
        for (const each of shown) expect(each.isWellFormed()).toBe(true);
        expect(shown.join('')).toBe(text);
        if (type !== 'tool-input') expect(partsOf(reply, 'p')).toMatchObject([{ text }]);
      },
    ),
    { numRuns: 200 },
  );
});
