import fc from 'fast-check';
import { textOf } from '../../../lib/app/tools/past-messages.ts';

it('files and images that go along add nothing to the text by which a question is told from what was said before', () => {
  const along = fc.constantFrom({ type: 'file', name: 'README.md' }, { type: 'image', mediaType: 'image/png' });
  fc.assert(
    fc.property(fc.string(), fc.array(along), fc.array(along), (text, before, after) => {
      expect(textOf([...before, { type: 'text', text }, ...after])).toBe(text);
    }),
  );
});
